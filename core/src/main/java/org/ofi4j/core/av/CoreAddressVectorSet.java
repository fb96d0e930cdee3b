// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.VectorSetFlag;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.object.CoreObject;

/** The set of every provider (AV-226). Its lock is never held together with that of another set. */
final class CoreAddressVectorSet extends CoreObject implements AddressVectorSet {
  private final ReadableVector vector;
  private final long address;

  /** The handles of the members in their order. */
  private final Set<Long> members = new LinkedHashSet<>();

  private CoreAddressVectorSet(ReadableVector vector, VectorSetOptions options, long address) {
    super(options.context());
    this.vector = vector;
    this.address = address;
  }

  /**
   * {@code fi_av_set}. Takes no lock of the vector: entries may come and go meanwhile.
   *
   * @param number what names the set, among the numbers of keys
   * @throws FabricException with {@link Errno#EINVAL} if the options are wrong; {@link
   *     Errno#ENOMEM}
   */
  static CoreAddressVectorSet open(
      ReadableVector vector, @Nullable VectorSetOptions options, int number) {
    if (options == null) {
      throw invalid("options are null: pass VectorSetOptions.empty()");
    }
    check(vector, options);
    try {
      CoreAddressVectorSet set =
          new CoreAddressVectorSet(vector, options, vector.layout.keyHandle(number));
      return opened(
          set,
          () -> {
            set.lifetime().hold(vector.lifetime());
            set.begin(options);
          });
    } catch (OutOfMemoryError exhausted) {
      throw noMemory(exhausted);
    }
  }

  private static void check(ReadableVector vector, VectorSetOptions options) {
    VectorRules.refuse(options.flags() & ~VectorSetFlag.UNIVERSE.mask(), " are not for sets");
    if (options.count() < 0) {
      throw invalid("count " + options.count() + " is negative");
    }
    boolean isRange = options.start() != Handles.NOT_AVAILABLE;
    if (isRange != (options.end() != Handles.NOT_AVAILABLE)) {
      throw invalid("start and end go together: both are entries, or both FI_ADDR_NOTAVAIL");
    }
    if (!isRange) {
      if (options.stride() != 0) {
        throw invalid("stride " + options.stride() + " is given without start and end");
      }
      return;
    }
    if (options.flags() != 0) {
      throw invalid("FI_UNIVERSE stands for all entries: leave start and end out");
    }
    if (vector.options().type() != VectorType.TABLE) {
      throw invalid("start and end are indices, which entries of a MAP vector have not");
    }
    if (options.stride() <= 0) {
      throw invalid("stride " + options.stride() + " is not at least 1");
    }
    if (options.start() < 0
        || options.end() >= Handles.MAX_ENTRIES
        || options.start() > options.end()) {
      throw invalid(
          "start %s to end %s is no range of indices".formatted(options.start(), options.end()));
    }
  }

  private void begin(VectorSetOptions options) {
    boolean universe = options.flags() != 0;
    if (!universe && options.start() == Handles.NOT_AVAILABLE) {
      return;
    }
    long next = universe ? 0 : options.start();
    int last = universe ? Handles.MAX_ENTRIES - 1 : (int) options.end();
    int stride = universe ? 1 : (int) Math.min(options.stride(), Handles.MAX_ENTRIES);
    while (next <= last) {
      int live = vector.store.liveFrom((int) next, last, stride);
      if (live < 0) {
        return;
      }
      members.add(vector.layout.handle(live));
      if (options.count() != 0 && members.size() > options.count()) {
        throw invalid(
            ("count %s is less than the number of members that the set begins with: pass 0 if"
                    + " it is not known")
                .formatted(options.count()));
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
    return members.size();
  }

  @Override
  public synchronized long[] handles() {
    lifetime.checkOpen();
    return members.stream().mapToLong(Long::longValue).toArray();
  }

  @Override
  public synchronized boolean contains(long handle) {
    lifetime.checkOpen();
    return members.contains(plain(handle));
  }

  /** A handle without receive context and group; NOT_AVAILABLE if no entry can have it. */
  private long plain(long handle) {
    return vector.layout.handleOf(vector.layout.index(handle));
  }

  @Override
  public void union(AddressVectorSet source) {
    change(source, members::addAll);
  }

  @Override
  public void intersect(AddressVectorSet source) {
    change(source, members::retainAll);
  }

  @Override
  public void difference(AddressVectorSet source) {
    change(source, members::removeAll);
  }

  /** Changes this set by the members that another one has at the beginning. */
  private void change(@Nullable AddressVectorSet source, Consumer<Set<Long>> change) {
    if (!(source instanceof CoreAddressVectorSet other) || !other.vector.equals(vector)) {
      throw invalid("source " + source + " is no set of " + vector);
    }
    try {
      Set<Long> others = other.copy();
      synchronized (this) {
        lifetime.checkOpen();
        change.accept(others);
      }
    } catch (OutOfMemoryError exhausted) {
      throw noMemory(exhausted);
    }
  }

  private synchronized Set<Long> copy() {
    lifetime.checkOpen();
    return new LinkedHashSet<>(members);
  }

  @Override
  public synchronized void insert(long handle) {
    lifetime.checkOpen();
    int index = vector.layout.index(handle);
    try {
      if (index < 0 || !vector.store.isLive(index)) {
        throw invalid(HandleLayout.text(handle) + " names no entry of " + vector);
      }
      if (!members.add(vector.layout.handle(index))) {
        throw invalid(HandleLayout.text(handle) + " is a member already");
      }
    } catch (OutOfMemoryError exhausted) {
      throw noMemory(exhausted);
    } catch (IllegalStateException gone) {
      // The set was closed meanwhile, and its vector after it.
      throw ReadableVector.translated(gone, lifetime, "the vector was closed during the call");
    }
  }

  @Override
  public synchronized void remove(long handle) {
    lifetime.checkOpen();
    if (!members.remove(plain(handle))) {
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
