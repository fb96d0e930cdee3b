// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.AvFlag;
import org.ofi4j.AvType;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.conformance.standin.ForwardingAddressVector;
import org.ofi4j.conformance.standin.ForwardingDomain;
import org.ofi4j.conformance.standin.StandIns;
import org.ofi4j.conformance.standin.Wrapping;

/** Mistakes in opening, binding and closing, and in what attributes mean. */
final class OpenFaults {
  private OpenFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        PlantedFault.ofVector(
            "AV-011",
            "lookup tells how much it wrote instead of how much is needed",
            WrittenLength::new),
        new PlantedFault(
            "AV-006", "one lock for everything, also while names are resolved", new OneLocks()),
        ofOpen(
            "AV-015",
            "flags that nobody knows are ignored",
            attributes -> attributes.withFlags(attributes.flags() & knownFlags())),
        new PlantedFault("AV-016", "closing a domain closes its vectors", new ClosingDomains()),
        new PlantedFault("AV-020", "a domain of one type takes the other type too", new AnyType()),
        ofOpen(
            "AV-033",
            "receive context bits out of range count as 0",
            attributes ->
                attributes.receiveContextBits() < 0 || attributes.receiveContextBits() > 31
                    ? attributes.withReceiveContextBits(0)
                    : attributes),
        PlantedFault.ofVector("AV-035", "count is the capacity", CountIsLimit::new),
        ofOpen(
            "AV-036",
            "more than 32 endpoints per node are refused",
            attributes -> {
              if (attributes.endpointsPerNode() > 32) {
                throw new FabricException(Errno.EINVAL, "too many endpoints per node");
              }
              return attributes;
            }),
        ofOpen("AV-040", "names are ignored", attributes -> attributes.withName(null)),
        ofOpen(
            "AV-040",
            "names that differ in case are the same",
            attributes ->
                attributes.name() == null
                    ? attributes
                    : attributes.withName(attributes.name().toLowerCase(Locale.ROOT))),
        ofOpen("AV-042", "map_addr is always chosen", attributes -> attributes.withMapAddress(0)),
        PlantedFault.ofVector(
            "AV-046", "map_addr of a private vector is overwritten", MapAddressLost::new),
        PlantedFault.ofVector(
            "AV-052", "ids at insert are ignored on a vector opened for ids", IdsIgnored::new),
        ofOpen(
            "AV-048",
            "FI_READ creates and changes like any other open",
            attributes -> attributes.withFlags(attributes.flags() & ~AvFlag.READ.mask())),
        PlantedFault.ofVector("AV-070", "close does not look for users", CarelessClose::new),
        PlantedFault.ofVector("AV-071", "a second queue replaces the first", SecondQueue::new));
  }

  @SuppressWarnings("deprecation")
  private static long knownFlags() {
    return AvFlag.READ.mask()
        | AvFlag.EVENT.mask()
        | AvFlag.USER_ID.mask()
        | AvFlag.SYMMETRIC.mask();
  }

  private interface Change {
    AvAttributes change(AvAttributes attributes);
  }

  /** A mistake in reading attributes. */
  private static PlantedFault ofOpen(String rule, String mistake, Change change) {
    return new PlantedFault(rule, mistake, new ChangedAttributes(change));
  }

  /** Opens vectors with other attributes. */
  private static class ChangedAttributes extends Wrapping {
    private final Change change;

    ChangedAttributes(Change change) {
      this.change = change;
    }

    @Override
    public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
      return new ForwardingDomain(real, standIns, this, fabric) {
        @Override
        public AddressVector openAddressVector(AvAttributes attributes) {
          return super.openAddressVector(attributes == null ? null : change.change(attributes));
        }
      };
    }
  }

  private static final class WrittenLength extends ForwardingAddressVector {
    WrittenLength(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int lookup(long handle, MemorySegment buffer) {
      return (int) Math.min(super.lookup(handle, buffer), buffer.byteSize());
    }
  }

  /** Resolution ends soon, so that those who wait for the lock do not wait for long. */
  private static final class OneLocks extends ChangedAttributes {
    OneLocks() {
      super(attributes -> attributes.withResolutionTimeout(Duration.ofSeconds(1)));
    }

    @Override
    public AddressVector vector(AddressVector real, StandIns standIns) {
      return new OneLock(real, standIns);
    }
  }

  private static final class OneLock extends ForwardingAddressVector {
    OneLock(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public synchronized long insertService(String node, String service) {
      return super.insertService(node, service);
    }

    @Override
    public synchronized int lookup(long handle, MemorySegment buffer) {
      return super.lookup(handle, buffer);
    }
  }

  private static final class ClosingDomains extends Wrapping {
    @Override
    public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
      return new ForwardingDomain(real, standIns, this, fabric) {
        private final List<AddressVector> vectors = new java.util.ArrayList<>();

        @Override
        public AddressVector openAddressVector(AvAttributes attributes) {
          AddressVector vector = super.openAddressVector(attributes);
          vectors.add(vector);
          return vector;
        }

        @Override
        public void close() {
          vectors.forEach(AddressVector::close);
          super.close();
        }
      };
    }
  }

  private static final class AnyType extends Wrapping {
    @Override
    public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
      return new ForwardingDomain(real, standIns, this, fabric) {
        @Override
        public AddressVector openAddressVector(AvAttributes attributes) {
          AvType only = info().domain().avType();
          return super.openAddressVector(
              only == AvType.UNSPECIFIED || attributes == null
                  ? attributes
                  : attributes.withType(only));
        }
      };
    }
  }

  private static final class CountIsLimit extends ForwardingAddressVector {
    CountIsLimit(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public int insert(
        MemorySegment addresses,
        int count,
        MemorySegment handles,
        MemorySegment errors,
        long flags,
        Object context) {
      if (attributes().count() != 0 && size() + count > attributes().count()) {
        throw new FabricException(Errno.ENOMEM, "the table is full");
      }
      return super.insert(addresses, count, handles, errors, flags, context);
    }
  }

  private static final class MapAddressLost extends ForwardingAddressVector {
    MapAddressLost(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public AvAttributes attributes() {
      return super.attributes().withMapAddress(0);
    }
  }

  private static final class IdsIgnored extends ForwardingAddressVector {
    IdsIgnored(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insertService(String node, String service, InsertOptions options) {
      boolean openedForIds = (attributes().flags() & AvFlag.USER_ID.mask()) != 0;
      return super.insertService(
          node,
          service,
          openedForIds
              ? new InsertOptions(
                  options.flags() & ~InsertFlag.USER_ID.mask(), null, options.context())
              : options);
    }
  }

  private static final class CarelessClose extends ForwardingAddressVector {
    CarelessClose(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void close() {
      try {
        super.close();
      } catch (FabricException ignored) {
        // As if nobody used the vector.
      }
    }
  }

  @SuppressWarnings("deprecation")
  private static final class SecondQueue extends ForwardingAddressVector {
    private boolean bound;

    SecondQueue(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void bind(EventQueue queue, long flags) {
      if (!bound) {
        super.bind(queue, flags);
        bound = true;
      }
    }
  }
}
