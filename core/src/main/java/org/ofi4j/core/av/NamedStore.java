package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.VectorFile;

/**
 * The entries of a named vector, which several processes change and read: a {@link
 * SegmentEntryStore} over the file that has them now.
 *
 * <p>A writer takes the lock of all processes and looks at what others changed meanwhile. If the
 * last one died with the lock, it copies the entries to a new file ({@link StoreCopy}), which
 * replaces the old one by one store; readers of every process go over to it at their next call.
 * Readers take no lock: one look at the number of the present file, and then what a private vector
 * does.
 *
 * <p>A fault of the mapped memory, as when somebody cuts the file, ends the use of the vector here:
 * nothing is published after it, and every later call says so.
 */
final class NamedStore implements EntryStore {
  /** What is in use now. */
  private record Present(long generation, SegmentEntryStore store) {}

  private final NamedVector vector;
  private final StoreOptions options;

  /** Finds nothing, as the memory of named vectors is none that it looks at. */
  private final Ipv4Searches searches;

  private final ProcessUserIds userIds = new ProcessUserIds();

  /** Null once closed, and once it is of no use any more. */
  private volatile @Nullable Present present;

  /** The store whose file is mapped. */
  private SegmentEntryStore mapped;

  /** Why the vector is of no use any more, or null. */
  private volatile @Nullable String failure;

  // For who holds the lock.

  private @Nullable SegmentEntryStore writing;
  private boolean broken;

  /** How many changes there were when this store changed something last. */
  private long changes = -1;

  /**
   * The entries of a vector.
   *
   * @param vector the vector, closed with the store
   * @param options what it is like; the seed is that of the vector
   */
  NamedStore(NamedVector vector, StoreOptions options) {
    this.vector = vector;
    this.options = options;
    Present first;
    try {
      first = attach();
    } catch (Throwable failed) {
      vector.close();
      throw failed;
    }
    this.searches = first.store.ipv4Searches();
    this.present = first;
    this.mapped = first.store;
    try {
      if (!vector.isReadOnly() && !vector.dead().isEmpty()) {
        // Those that died without the lock left nothing but reservations.
        begin();
        end();
      }
    } catch (Throwable failed) {
      close();
      throw failed;
    }
  }

  /** Makes an empty store in a file that nobody else sees yet. */
  static void found(VectorFile file, StoreOptions options) {
    store(file, options);
  }

  private static SegmentEntryStore store(VectorFile file, StoreOptions options) {
    NamedMemory memory = new NamedMemory(file);
    return new SegmentEntryStore(options, memory);
  }

  private Present attach() {
    while (true) {
      long generation = vector.generation();
      VectorFile file;
      try {
        file = vector.entries(generation);
      } catch (FabricException gone) {
        if (vector.generation() != generation) {
          // It was replaced before it was mapped.
          continue;
        }
        throw gone;
      }
      try {
        if (file.pieces() == 0) {
          throw new FabricException(Errno.EIO, vector + " is damaged: it has no root");
        }
        long seed = file.piece(0, Space.UNIT_BYTES * Root.UNITS).get(JAVA_LONG, Root.SEED);
        SegmentEntryStore store = store(file, options.withSeed(seed));
        store.reserveFor(vector.participant() + 1);
        return new Present(generation, store);
      } catch (Throwable failed) {
        file.close();
        throw failed;
      }
    }
  }

  /** The store that has the entries now. */
  private SegmentEntryStore current() {
    Present known = present;
    if (known == null) {
      throw gone();
    }
    return vector.generation() == known.generation ? known.store : attachAgain();
  }

  private RuntimeException gone() {
    String why = failure;
    return why == null
        ? new IllegalStateException("the address vector is closed")
        : new FabricException(Errno.EIO, why);
  }

  private synchronized SegmentEntryStore attachAgain() {
    Present known = present;
    if (known == null) {
      throw gone();
    }
    if (vector.generation() == known.generation) {
      return known.store;
    }
    Present next = attach();
    use(next);
    return next.store;
  }

  /**
   * After a store was found closed, or its file gone: whether there is another one to go on with.
   */
  private void checkReplaced(SegmentEntryStore store, RuntimeException gone) {
    Present known = present;
    if (known == null) {
      throw gone();
    }
    if (known.store == store && known.generation == vector.generation()) {
      throw gone;
    }
  }

  private RuntimeException faulted(InternalError fault) {
    String why =
        vector
            + " cannot be used any more here: its mapped file lost memory, as when it was cut ("
            + fault.getMessage()
            + "); close it";
    failure = why;
    // Every later call finds this instead.
    present = null;
    return new FabricException(Errno.EIO, why, fault);
  }

  // Writing.

  @Override
  public void begin() {
    if (vector.isReadOnly()) {
      throw new FabricException(
          Errno.EACCES, vector + " was opened with FI_READ and cannot be changed (AV-049)");
    }
    if (failure != null) {
      throw gone();
    }
    boolean died = vector.begin();
    boolean ready = false;
    try {
      SegmentEntryStore store = current();
      Set<Integer> dead = new HashSet<>();
      if (died || changes < 0) {
        vector.dead().forEach(place -> dead.add(place + 1));
      }
      if (died) {
        store = repair(store, dead);
      } else if (vector.changes() != changes) {
        store.follow();
      }
      if (!dead.isEmpty()) {
        store.cancelOf(dead);
        dead.forEach(owner -> vector.forget(owner - 1));
      }
      writing = store;
      broken = false;
      ready = true;
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM, "no memory to repair " + vector + ", whose writer died", exhausted);
    } catch (InternalError fault) {
      throw faulted(fault);
    } finally {
      if (!ready) {
        vector.fail();
      }
    }
  }

  @Override
  public void end() {
    writing = null;
    if (broken) {
      vector.fail();
    } else {
      changes = vector.end();
    }
  }

  private SegmentEntryStore repair(SegmentEntryStore old, Set<Integer> dead) {
    old.follow();
    VectorFile file = vector.create();
    SegmentEntryStore copy;
    try {
      copy = store(file, options.withSeed(old.seed()));
      new StoreCopy(old, copy, options, dead::contains).copy();
      copy.reserveFor(vector.participant() + 1);
    } catch (Throwable failed) {
      file.close();
      throw failed;
    }
    vector.replace();
    synchronized (this) {
      use(new Present(vector.generation(), copy));
    }
    return copy;
  }

  private void use(Present next) {
    present = next;
    // Who reads there now finds it closed, and comes to the next one.
    mapped.close();
    mapped = next.store;
  }

  /** The store to be changed. */
  private SegmentEntryStore writing() {
    SegmentEntryStore store = writing;
    if (store == null) {
      throw new IllegalStateException("entries are changed without the lock");
    }
    if (broken) {
      throw new FabricException(
          Errno.EIO, vector + " is to be repaired after a change that failed: try again");
    }
    return store;
  }

  /** A change that did not end as changes do: what it left is for repair. */
  private RuntimeException unfinished(Throwable failed) {
    broken = true;
    if (failed instanceof InternalError fault) {
      return faulted(fault);
    }
    if (failed instanceof RuntimeException thrown) {
      return thrown;
    }
    if (failed instanceof Error error) {
      throw error;
    }
    return new IllegalStateException(failed);
  }

  @Override
  public int insert(AddressKey key) {
    SegmentEntryStore store = writing();
    try {
      return store.insert(key);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    SegmentEntryStore store = writing();
    try {
      return store.insertIpv4(addresses, count, outcomes);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    SegmentEntryStore store = writing();
    try {
      store.insertRange(range, outcome);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public int reserve() {
    SegmentEntryStore store = writing();
    try {
      return store.reserve();
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    SegmentEntryStore store = writing();
    try {
      int outcome = store.publish(reserved, key);
      if (outcome != reserved) {
        // The index is unused, in the life for which an id was given.
        userIds.forget(reserved);
      }
      return outcome;
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public void cancel(int reserved) {
    SegmentEntryStore store = writing();
    try {
      store.cancel(reserved);
      userIds.forget(reserved);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public int remove(int index) {
    SegmentEntryStore store = writing();
    try {
      return store.remove(index);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public void remove(int[] indices, int count, int[] outcomes) {
    SegmentEntryStore store = writing();
    try {
      store.remove(indices, count, outcomes);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  @Override
  public int markFirewall(int index) {
    SegmentEntryStore store = writing();
    try {
      return store.markFirewall(index);
    } catch (Throwable failed) {
      throw unfinished(failed);
    }
  }

  /**
   * {@inheritDoc} The id is of this process, for the life that the index has now. Needs no lock of
   * other processes, but for a reserved index that of this one.
   */
  @Override
  public int setUserId(int index, long id) {
    try {
      int life;
      SegmentEntryStore store = writing;
      if (store != null) {
        if (store.isUnused(index)) {
          return -Errno.EINVAL.number();
        }
        life = store.generation(index);
      } else {
        do {
          life = generation(index);
          if (!isLive(index)) {
            return -Errno.EINVAL.number();
          }
        } while (generation(index) != life);
      }
      userIds.set(index, life, id);
      return 0;
    } catch (OutOfMemoryError exhausted) {
      return -Errno.ENOMEM.number();
    }
  }

  // Reading, by any thread.

  @Override
  public int find(AddressKey key) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.find(key);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public int findIpv4(long addressAndPort) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.findIpv4(addressAndPort);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public Ipv4Searches ipv4Searches() {
    return searches;
  }

  @Override
  public int findIpv4Anyhow(long addressAndPort) {
    return findIpv4(addressAndPort);
  }

  @Override
  public boolean holds(int index, AddressKey key) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.holds(index, key);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public boolean load(int index, AddressKey into) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.load(index, into);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public long ipv4(int index) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.ipv4(index);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  /** {@inheritDoc} It finds nothing: the memory is no plain native memory. */
  @Override
  public PackedLookups packedLookups() {
    return PackedLookups.none();
  }

  @Override
  public boolean isLive(int index) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.isLive(index);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public int generation(int index) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.generation(index);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public int count(int index) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.count(index);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public long userId(int index, long absent) {
    // The life of an index is asked for only where an id may be.
    return userIds.mayHave(index) && isLive(index)
        ? userIds.get(index, generation(index), absent)
        : absent;
  }

  @Override
  public boolean isFirewalled(int index) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return store.isFirewalled(index);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public long size() {
    return number(SegmentEntryStore::size);
  }

  @Override
  public long highWaterMark() {
    return number(SegmentEntryStore::highWaterMark);
  }

  @Override
  public long capacity() {
    return number(SegmentEntryStore::capacity);
  }

  @Override
  public MemoryUse memory() {
    return ask(SegmentEntryStore::memory);
  }

  /** How many runs it keeps as formulas. */
  long runs() {
    return number(store -> store.runs().count());
  }

  private long number(ToLongFunction<SegmentEntryStore> question) {
    return ask(question::applyAsLong);
  }

  /** What need not be fast. */
  private <T> T ask(Function<SegmentEntryStore, T> question) {
    while (true) {
      SegmentEntryStore store = current();
      try {
        return question.apply(store);
      } catch (IllegalStateException | FabricException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    begin();
    try {
      writing().copyInto(target, options);
    } catch (InternalError fault) {
      throw unfinished(fault);
    } finally {
      end();
    }
  }

  @Override
  public synchronized void close() {
    present = null;
    mapped.close();
    vector.close();
  }
}
