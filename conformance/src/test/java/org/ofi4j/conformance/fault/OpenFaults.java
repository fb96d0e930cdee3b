// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.standin.ForwardingAddressVector;
import org.ofi4j.conformance.standin.ForwardingDomain;
import org.ofi4j.conformance.standin.StandIns;
import org.ofi4j.conformance.standin.Wrapping;

/** Mistakes in opening, binding and closing, and in what options mean. */
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
            options -> options.withFlags(options.flags() & knownFlags())),
        new PlantedFault("AV-016", "closing a domain closes its vectors", new ClosingDomains()),
        new PlantedFault("AV-020", "a domain of one type takes the other type too", new AnyType()),
        ofOpen(
            "AV-033",
            "receive context bits out of range count as 0",
            options ->
                options.receiveContextBits() < 0 || options.receiveContextBits() > 31
                    ? options.withReceiveContextBits(0)
                    : options),
        PlantedFault.ofVector("AV-035", "count is the capacity", CountIsLimit::new),
        ofOpen(
            "AV-036",
            "more than 32 endpoints per node are refused",
            options -> {
              if (options.endpointsPerNode() > 32) {
                throw new FabricException(Errno.EINVAL, "too many endpoints per node");
              }
              return options;
            }),
        ofOpen("AV-040", "names are ignored", options -> options.withName(null)),
        ofOpen(
            "AV-040",
            "names that differ in case are the same",
            options ->
                options.name() == null
                    ? options
                    : options.withName(options.name().toLowerCase(Locale.ROOT))),
        ofOpen("AV-042", "map_addr is always chosen", options -> options.withMapAddress(0)),
        PlantedFault.ofVector(
            "AV-046", "map_addr of a private vector is overwritten", MapAddressLost::new),
        PlantedFault.ofVector(
            "AV-052", "ids at insert are ignored on a vector opened for ids", IdsIgnored::new),
        ofOpen(
            "AV-048",
            "FI_READ creates and changes like any other open",
            options -> options.withFlags(options.flags() & ~VectorFlag.READ.mask())),
        PlantedFault.ofVector("AV-070", "close does not look for users", CarelessClose::new),
        PlantedFault.ofVector("AV-071", "a second queue replaces the first", SecondQueue::new));
  }

  @SuppressWarnings("deprecation")
  private static long knownFlags() {
    return VectorFlag.READ.mask()
        | VectorFlag.EVENT.mask()
        | VectorFlag.USER_ID.mask()
        | VectorFlag.SYMMETRIC.mask();
  }

  private interface Change {
    VectorOptions change(VectorOptions options);
  }

  /** A mistake in reading options. */
  private static PlantedFault ofOpen(String rule, String mistake, Change change) {
    return new PlantedFault(rule, mistake, new ChangedOptions(change));
  }

  /** Opens vectors with other options. */
  private static class ChangedOptions extends Wrapping {
    private final Change change;

    ChangedOptions(Change change) {
      this.change = change;
    }

    @Override
    public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
      return new ForwardingDomain(real, standIns, this, fabric) {
        @Override
        public AddressVector openAddressVector(VectorOptions options) {
          return super.openAddressVector(options == null ? null : change.change(options));
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
  private static final class OneLocks extends ChangedOptions {
    OneLocks() {
      super(options -> options.withResolutionTimeout(Duration.ofSeconds(1)));
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
        public AddressVector openAddressVector(VectorOptions options) {
          AddressVector vector = super.openAddressVector(options);
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
        public AddressVector openAddressVector(VectorOptions options) {
          VectorType only = info().domain().vectorType();
          return super.openAddressVector(
              only == VectorType.UNSPECIFIED || options == null ? options : options.withType(only));
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
      if (options().count() != 0 && size() + count > options().count()) {
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
    public VectorOptions options() {
      return super.options().withMapAddress(0);
    }
  }

  private static final class IdsIgnored extends ForwardingAddressVector {
    IdsIgnored(AddressVector real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Insertion insertService(String node, String service, InsertOptions options) {
      boolean openedForIds = (options().flags() & VectorFlag.USER_ID.mask()) != 0;
      return super.insertService(
          node,
          service,
          openedForIds
              ? InsertOptions.of(options.flags() & ~InsertFlag.USER_ID.mask(), null)
                  .withContext(options.context())
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
