// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.AvSetAttributes;
import org.ofi4j.AvSetFlag;
import org.ofi4j.AvType;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.core.object.CoreObject;

/** The set of every provider (AV-226). Its lock is never held together with that of another set. */
final class CoreAddressVectorSet extends CoreObject implements AddressVectorSet {
  private final CoreAddressVector vector;
  private final long address;
  private final OrderedHandles members;

  private CoreAddressVectorSet(CoreAddressVector vector, AvSetAttributes attributes, long address) {
    super(attributes.context());
    this.vector = vector;
    this.address = address;
    members = new OrderedHandles(attributes.count());
  }

  /**
   * {@code fi_av_set}. Takes no lock of the vector: entries may come and go meanwhile.
   *
   * @param address what names the set
   * @throws FabricException with {@link Errno#EINVAL} if the attributes are wrong; {@link
   *     Errno#ENOMEM}
   */
  static CoreAddressVectorSet open(
      CoreAddressVector vector, @Nullable AvSetAttributes attributes, long address) {
    if (attributes == null) {
      throw invalid("attributes are null: pass AvSetAttributes.empty()");
    }
    check(vector, attributes);
    try {
      CoreAddressVectorSet set = new CoreAddressVectorSet(vector, attributes, address);
      set.lifetime().hold(vector.lifetime());
      try {
        set.begin(attributes);
      } catch (Throwable failed) {
        set.close();
        throw failed;
      }
      return set;
    } catch (OutOfMemoryError exhausted) {
      throw noMemory(exhausted);
    }
  }

  private static void check(CoreAddressVector vector, AvSetAttributes attributes) {
    long unknown = attributes.flags() & ~AvSetFlag.UNIVERSE.mask();
    if (unknown != 0) {
      throw invalid("flags 0x" + Long.toHexString(unknown) + " are not for sets");
    }
    if (attributes.count() < 0) {
      throw invalid("count " + attributes.count() + " is negative");
    }
    boolean start = attributes.start() != Handles.NOT_AVAILABLE;
    boolean end = attributes.end() != Handles.NOT_AVAILABLE;
    if (start != end) {
      throw invalid("start and end go together: both are entries, or both FI_ADDR_NOTAVAIL");
    }
    if (!start) {
      if (attributes.stride() != 0) {
        throw invalid("stride " + attributes.stride() + " is given without start and end");
      }
      return;
    }
    if (attributes.flags() != 0) {
      throw invalid("FI_UNIVERSE stands for all entries: leave start and end out");
    }
    if (vector.attributes().type() != AvType.TABLE) {
      throw invalid("start and end are indices, which entries of a MAP vector have not");
    }
    if (attributes.stride() <= 0) {
      throw invalid("stride " + attributes.stride() + " is not at least 1");
    }
    if (attributes.start() < 0
        || attributes.end() >= Handles.MAX_ENTRIES
        || attributes.start() > attributes.end()) {
      throw invalid(
          "start %s to end %s is no range of indices"
              .formatted(attributes.start(), attributes.end()));
    }
  }

  private void begin(AvSetAttributes attributes) {
    boolean universe = attributes.flags() != 0;
    if (!universe && attributes.start() == Handles.NOT_AVAILABLE) {
      return;
    }
    long next = universe ? 0 : attributes.start();
    int last = universe ? Handles.MAX_ENTRIES - 1 : (int) attributes.end();
    int stride = universe ? 1 : (int) Math.min(attributes.stride(), Handles.MAX_ENTRIES);
    while (next <= last) {
      int live = vector.liveFrom((int) next, last, stride);
      if (live < 0) {
        return;
      }
      members.add(vector.handle(live));
      if (attributes.count() != 0 && members.count() > attributes.count()) {
        throw invalid(
            ("count %s is less than the number of members that the set begins with: pass 0 if"
                    + " it is not known")
                .formatted(attributes.count()));
      }
      next = (long) live + stride;
    }
  }

  @Override
  public AddressVector vector() {
    return vector;
  }

  @Override
  public synchronized int size() {
    lifetime.checkOpen();
    return members.count();
  }

  @Override
  public synchronized long[] handles() {
    lifetime.checkOpen();
    return members.toArray();
  }

  @Override
  public synchronized boolean contains(long handle) {
    lifetime.checkOpen();
    return members.contains(vector.plainHandle(handle));
  }

  @Override
  public void union(AddressVectorSet source) {
    long[] others = membersOf(source);
    synchronized (this) {
      lifetime.checkOpen();
      try {
        for (long handle : others) {
          members.add(handle);
        }
      } catch (OutOfMemoryError exhausted) {
        throw noMemory(exhausted);
      }
    }
  }

  @Override
  public void intersect(AddressVectorSet source) {
    keep(source, true);
  }

  @Override
  public void difference(AddressVectorSet source) {
    keep(source, false);
  }

  private void keep(AddressVectorSet source, boolean having) {
    try {
      long[] others = membersOf(source);
      OrderedHandles all = new OrderedHandles(others.length);
      for (long handle : others) {
        all.add(handle);
      }
      synchronized (this) {
        lifetime.checkOpen();
        members.keep(all, having);
      }
    } catch (OutOfMemoryError exhausted) {
      throw noMemory(exhausted);
    }
  }

  private long[] membersOf(@Nullable AddressVectorSet source) {
    if (!(source instanceof CoreAddressVectorSet other) || !other.vector.equals(vector)) {
      throw invalid("source " + source + " is no set of " + vector);
    }
    return other.handles();
  }

  @Override
  public void insert(long handle) {
    long plain = vector.plainHandle(handle);
    if (!vector.isLive(plain)) {
      throw invalid(HandleLayout.text(handle) + " names no entry of " + vector);
    }
    boolean added;
    synchronized (this) {
      lifetime.checkOpen();
      try {
        added = members.add(plain);
      } catch (OutOfMemoryError exhausted) {
        throw noMemory(exhausted);
      }
    }
    if (!added) {
      throw invalid(HandleLayout.text(handle) + " is a member already");
    }
  }

  @Override
  public void remove(long handle) {
    boolean removed;
    synchronized (this) {
      lifetime.checkOpen();
      removed = members.remove(vector.plainHandle(handle));
    }
    if (!removed) {
      throw invalid(HandleLayout.text(handle) + " is no member");
    }
  }

  @Override
  public long address() {
    lifetime.checkOpen();
    return address;
  }

  @Override
  public String toString() {
    return "address vector set 0x" + Long.toHexString(address);
  }

  private static FabricException noMemory(OutOfMemoryError exhausted) {
    return new FabricException(Errno.ENOMEM, "no memory is left for the set", exhausted);
  }
}
