// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorStatistics;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.mapped.Snapshot;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.source.SymmetricBox;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.StoreOptions;

/**
 * The changes of one vector: the lock that they are made under, what they do to the entries, and
 * how many there were. Names are resolved before a thread takes the lock (AV-006), so that nothing
 * slow happens under it.
 *
 * <p>The lock is that of this process, and for changes of entries also that of all processes if the
 * vector has a name. Any thread may take it.
 *
 * <p>An outcome of an address is one number: its index, or the negative errno that it failed with.
 */
final class EntryWriter {
  /** A hold of the lock, which ends when it is closed. */
  @FunctionalInterface
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  private static final long A_MOMENT = 20_000;

  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int NOT_TRIED = -Errno.ECANCELED.number();

  /** Few enough to stay in the nearest cache with what they lead to. */
  private static final int REMOVED_TOGETHER = 256;

  /** How many free indices below that of {@link #insertAt} there is room for at first. */
  private static final int FIRST_BELOW = 16;

  private final ReentrantLock lock = new ReentrantLock();
  private final Held own = lock::unlock;
  private final Held all = this::end;

  private final EntryStore store;
  private final HandleLayout layout;
  private final AddressCodec codec;
  private final Lifetime lifetime;
  private final VectorEvents events;
  private final VectorKeys keys;
  private final boolean mayHaveKeys;
  private final FabricPeers peers;
  private final Attachments attachments;

  /** Whether closing has begun; guarded by the lock. */
  private boolean closing;

  // Since the vector was opened here. The holder of the lock counts, and any thread reads: the
  // totals of one moment need not fit each other, and a 64-bit JVM tears no long.
  private long insertions;
  private long failedInsertions;
  private long removals;

  // Scratch of the holder of the lock.
  private final AddressKey key = new AddressKey();
  private final AddressKey replaced = new AddressKey();
  private final InsertionBatch batch;
  private long[] removedHandles = {};
  private int[] removedIndices = {};

  EntryWriter(
      EntryStore store,
      HandleLayout layout,
      AddressCodec codec,
      Lifetime lifetime,
      VectorEvents events,
      FabricPeers peers,
      VectorRules rules) {
    this.store = store;
    this.layout = layout;
    this.codec = codec;
    this.lifetime = lifetime;
    this.events = events;
    this.keys = new VectorKeys(this, lifetime, store, layout, rules);
    this.mayHaveKeys = rules.mostKeys() > 0;
    this.peers = peers;
    this.attachments = new Attachments(store, keys);
    this.batch = new InsertionBatch(store, layout);
  }

  /** Returns the authorization keys, which are guarded by the lock too. */
  VectorKeys keys() {
    return keys;
  }

  // The lock.

  /**
   * Takes the lock, without that of other processes.
   *
   * @throws FabricException if the vector has been closed, and as {@link EntryStore#late} if others
   *     have the lock for too long
   */
  Held lock() {
    if (!lock.tryLock()) {
      await();
    }
    checkOpen();
    return own;
  }

  /**
   * Waits for the lock and takes it; returns until when the caller may wait for other processes.
   */
  private long await() {
    long deadline = Waiting.deadline(store.lockTimeout());
    if (!Waiting.lock(lock, deadline)) {
      throw store.late();
    }
    return deadline;
  }

  private void checkOpen() {
    if (closing) {
      lock.unlock();
      throw lifetime.closed();
    }
  }

  /** Takes the lock of a vector that may be closing. */
  Held lockAnyway() {
    lock.lock();
    return own;
  }

  /**
   * Takes the lock for changes of entries, which is also that of all other processes if the vector
   * has a name.
   *
   * @throws FabricException if the vector has been closed, and as {@link EntryStore#begin}
   */
  Held begin() {
    return begin(false);
  }

  /** As {@link #begin()}, of a vector that may be closing. */
  Held beginAnyway() {
    return begin(true);
  }

  private Held begin(boolean anyway) {
    boolean waits = !lock.tryLock();
    // A thread that waits for others of this process waits less for other processes.
    long deadline = waits ? await() : 0;
    if (!anyway) {
      checkOpen();
    }
    boolean begun = false;
    try {
      if (waits) {
        store.begin(deadline);
      } else {
        store.begin();
      }
      begun = true;
      return all;
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM,
          "no memory, or no thread, is left to change the vector: " + exhausted.getMessage(),
          exhausted);
    } finally {
      if (!begun) {
        lock.unlock();
      }
    }
  }

  /** Ends what {@link #begin} began, as closing its result does. */
  void end() {
    try {
      store.end();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a change after which handles may lead to no address or to another one, and tells the
   * fabric.
   */
  private void endTellingPeers() {
    try {
      end();
    } finally {
      peers.addressesChanged();
    }
  }

  /** Returns what a holder of the lock of this process can wait for. */
  Condition newCondition() {
    return lock.newCondition();
  }

  /** Lets waiting threads take the lock; to be called between two holds of a long operation. */
  void giveWay() {
    if (lock.hasQueuedThreads()) {
      LockSupport.parkNanos(A_MOMENT);
    }
  }

  // Totals and events.

  /** Returns whether Flight Recorder is at work, before which no event class is touched. */
  static boolean isRecording() {
    return VectorEvents.ARE_POSSIBLE && FlightRecorder.isInitialized();
  }

  /** Returns the event of an insertion that begins; null if no recording wants it. */
  VectorEvents.@Nullable Insertion insertionEvent() {
    return isRecording() ? events.insertion() : null;
  }

  /** Counts addresses that were tried, and those of them that were inserted, under the lock. */
  void count(int inserted, int tried) {
    insertions += inserted;
    failedInsertions += tried - inserted;
  }

  /** Returns what {@link org.ofi4j.AddressVector#statistics} does, without the lock. */
  VectorStatistics statistics() {
    long entries = store.size();
    return new VectorStatistics(
        entries,
        Math.max(entries, store.capacity()),
        Math.max(entries, store.highWaterMark()),
        store.memory(),
        insertions,
        failedInsertions,
        removals);
  }

  // Insertions.

  /**
   * The entries of this moment.
   *
   * @throws FabricException if the vector is closed, or there is no memory, and as {@link
   *     EntryStore#copyInto}
   */
  Snapshot snapshot(StoreOptions options) {
    try (Held _ = lock()) {
      return new Snapshot(store, options);
    }
  }

  /**
   * Inserts addresses and reports on each.
   *
   * @param handles takes a handle for each, and holds a user id or key for each if flags say so
   * @param errors takes an errno for each
   * @param flags bits of {@link InsertFlag}
   * @return how many were inserted
   */
  int insert(
      AddressSource source,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags) {
    VectorEvents.Insertion event = insertionEvent();
    int inserted;
    try (Held _ = begin()) {
      inserted = insertLocked(source, handles, errors, flags);
    }
    if (event != null) {
      event.end(false, source.count(), inserted);
    }
    return inserted;
  }

  private int insertLocked(
      AddressSource source,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags) {
    int count = source.count();
    boolean plain = !Attachments.in(flags);
    boolean isBatch = plain && count > 1;
    if (isBatch) {
      store.expect(count);
    }
    boolean exhausted = false;
    int inserted = 0;
    int i = 0;
    try {
      while (i < count && !exhausted) {
        int tried = isBatch ? batch.insert(source, i) : 0;
        if (tried > 0) {
          inserted += batch.inserted();
          exhausted = batch.isExhausted();
          batch.report(i, handles, errors);
          i += tried;
        } else {
          int outcome = -source.read(i, key);
          if (outcome == 0) {
            outcome = plain ? store.insert(key) : attachments.insert(key, value(handles, i), flags);
          }
          exhausted = outcome == NO_MEMORY;
          inserted += outcome < 0 ? 0 : 1;
          report(i++, outcome, handles, errors);
        }
      }
      for (; i < count; i++) {
        report(i, NOT_TRIED, handles, errors);
      }
      if (isBatch) {
        store.expect(0);
      }
    } finally {
      // Also if the caller freed its memory: the entries that were inserted stay.
      insertions += inserted;
    }
    failedInsertions += count - inserted;
    return inserted;
  }

  /**
   * Inserts the addresses of a box. The outcome is for the caller to write where it is wanted,
   * without the lock.
   */
  SymmetricInsertion insert(AddressSource source, SymmetricBox box) {
    VectorEvents.Insertion event = insertionEvent();
    RangeOutcome outcome = new RangeOutcome();
    try (Held _ = begin()) {
      for (AddressRange range : box.ranges()) {
        int pieces = outcome.pieces();
        if (pieces > 0 && endsCall(outcome.first(pieces - 1))) {
          outcome.add(range.count(), NOT_TRIED);
        } else {
          store.insertRange(range, outcome);
        }
      }
      count(outcome.inserted(), box.count());
    }
    SymmetricInsertion insertion = new SymmetricInsertion(source, box, outcome, layout, shortage());
    if (event != null) {
      event.end(false, box.count(), insertion.inserted());
    }
    return insertion;
  }

  /**
   * Inserts one address; returns its outcome.
   *
   * @param ipv4 if there is no address, {@code address << 16 | port} of one that peers can have
   */
  int insert(@Nullable FabricAddress address, long ipv4) {
    VectorEvents.Insertion event = insertionEvent();
    int outcome;
    begin();
    try {
      int errno = 0;
      if (address == null) {
        key.setIpv4(ipv4);
      } else {
        errno = codec.read(address, key);
      }
      outcome = errno == 0 ? store.insert(key) : -errno;
      count(outcome < 0 ? 0 : 1, 1);
    } finally {
      end();
    }
    if (event != null) {
      event.end(false, 1, outcome < 0 ? 0 : 1);
    }
    return outcome;
  }

  /**
   * Inserts one address under a given handle. Reservations keep the free indices below it occupied
   * until the entry is in place; lookups do not see reservations.
   *
   * @param source one address
   * @param sharesEntries whether an address has one entry at most
   * @return 0; or the negative errno: {@code -EBUSY} if the handle is in use, {@code -EALREADY} if
   *     the address has an entry and duplicates get none of their own, {@code -ENOMEM}, or the one
   *     that the address failed with
   * @throws FabricException with {@link Errno#EINVAL} if no entry can have the handle
   */
  int insertAt(long handle, AddressSource source, boolean sharesEntries) {
    try (Held _ = begin()) {
      int index = layout.index(handle);
      if (index < 0 || layout.handle(index) != handle) {
        throw invalid(layout.refusal(handle));
      }
      int outcome = -source.read(0, key);
      if (outcome == 0) {
        outcome = insertAt(index, sharesEntries);
      }
      count(outcome < 0 ? 0 : 1, 1);
      return Math.min(0, outcome);
    }
  }

  private int insertAt(int wanted, boolean sharesEntries) {
    if (store.isLive(wanted)) {
      return -Errno.EBUSY.number();
    }
    if (sharesEntries && store.find(key) >= 0) {
      return -Errno.EALREADY.number();
    }
    int[] below = new int[FIRST_BELOW];
    int count = 0;
    try {
      int next = store.reserve();
      while (next >= 0 && next < wanted) {
        below[count++] = next;
        below = count < below.length ? below : Arrays.copyOf(below, 2 * count);
        next = store.reserve();
      }
      if (next == wanted) {
        return store.publish(wanted, key);
      }
      if (next > wanted) {
        store.cancel(next);
        return -Errno.EBUSY.number();
      }
      return next;
    } finally {
      for (int i = 0; i < count; i++) {
        store.cancel(below[i]);
      }
    }
  }

  /** What insertions that failed found none of. */
  String shortage() {
    return store.shortage();
  }

  /** Writes what became of one address (AV-102, AV-207). */
  void report(
      int position, int outcome, @Nullable MemorySegment handles, @Nullable MemorySegment errors) {
    if (handles != null) {
      long handle = outcome >= 0 ? layout.handle(outcome) : Handles.NOT_AVAILABLE;
      handles.setAtIndex(JAVA_LONG_UNALIGNED, position, handle);
    }
    if (errors != null) {
      errors.setAtIndex(JAVA_INT_UNALIGNED, position, outcome >= 0 ? 0 : -outcome);
    }
  }

  static long value(@Nullable MemorySegment input, int position) {
    return input == null ? 0 : input.getAtIndex(JAVA_LONG_UNALIGNED, position);
  }

  /**
   * Reserves indices in call order (AV-086), and keeps the keys that the addresses come with. To be
   * called with the lock held.
   *
   * @param outcomes becomes the reserved indices; why there is none where memory ran out, or where
   *     no key is named
   * @param input a user id or key for each, as flags say
   * @return the keys that are kept, to be closed when the insertion has ended; null if there are
   *     none
   * @throws FabricException because the store failed, as when its file was cut; then nothing is
   *     kept
   */
  @Nullable HeldAuthKeys reserve(int[] outcomes, @Nullable MemorySegment input, long flags) {
    boolean exhausted = false;
    int tried = 0;
    try {
      for (; tried < outcomes.length; tried++) {
        outcomes[tried] = exhausted ? NOT_TRIED : store.reserve();
        exhausted |= outcomes[tried] < 0;
      }
      return attachments.keep(input, outcomes, flags);
    } catch (Throwable failed) {
      cancel(outcomes, tried);
      throw failed;
    }
  }

  /** Ends reservations after a failure, as far as the store lets it. */
  private void cancel(int[] reserved, int count) {
    try {
      for (int i = 0; i < count; i++) {
        cancel(reserved[i], 0);
      }
    } catch (RuntimeException broken) {
      // Whoever repairs the store ends them; why there were no more matters more.
      return;
    }
  }

  /** Ends one reservation with an address; the outcome. To be called with the lock held. */
  int publish(AddressSource source, int position, int reserved, long value, long flags) {
    if (reserved < 0) {
      return reserved;
    }
    int errno = source.read(position, key);
    if (errno != 0) {
      store.cancel(reserved);
      return -errno;
    }
    return Attachments.in(flags)
        ? attachments.publish(reserved, key, value, flags)
        : store.publish(reserved, key);
  }

  /** Ends one reservation without an address; the outcome. To be called with the lock held. */
  int cancel(int reserved, int errno) {
    if (reserved >= 0) {
      store.cancel(reserved);
      return -errno;
    }
    // No memory for a reservation ends the call, unless an address before it does.
    return endsCall(reserved) ? -errno : reserved;
  }

  static boolean endsCall(int outcome) {
    return outcome == NO_MEMORY || outcome == NOT_TRIED;
  }

  /**
   * Removes one entry.
   *
   * @throws FabricException if there is none, or no memory to record its removal
   */
  void remove(long handle) {
    VectorEvents.Removal event = isRecording() ? events.removal() : null;
    int outcome;
    begin();
    try {
      int index = layout.index(handle);
      outcome = isKeyed() ? removeKeyed(index) : store.remove(index);
      removals += outcome < 0 ? 0 : 1;
    } finally {
      endTellingPeers();
    }
    if (event != null) {
      event.end(1, outcome < 0 ? 0 : 1);
    }
    if (outcome < 0) {
      throw notRemoved(handle, outcome, "element 0; 0 of 1 removed");
    }
  }

  /**
   * Removes entries in the order given, past handles that name none (D-30).
   *
   * @throws FabricException with the first error, after all
   */
  void remove(MemorySegment handles, int count) {
    VectorEvents.Removal event = isRecording() ? events.removal() : null;
    int removed = 0;
    int first = -1;
    long firstHandle = 0;
    int firstOutcome = 0;
    begin();
    try {
      for (int from = 0; from < count; from += REMOVED_TOGETHER) {
        int together = Math.min(REMOVED_TOGETHER, count - from);
        remove(handles, from, together);
        for (int i = 0; i < together; i++) {
          if (removedIndices[i] >= 0) {
            removed++;
          } else if (first < 0) {
            first = from + i;
            firstHandle = removedHandles[i];
            firstOutcome = removedIndices[i];
          }
        }
      }
    } finally {
      removals += removed;
      endTellingPeers();
    }
    if (event != null) {
      event.end(count, removed);
    }
    if (first >= 0) {
      throw notRemoved(
          firstHandle,
          firstOutcome,
          "element %s; %s of %s removed".formatted(first, removed, count));
    }
  }

  /** Removes few entries, whose outcomes take the places of their indices. */
  private void remove(MemorySegment handles, int from, int count) {
    if (removedIndices.length < count) {
      long[] wider = new long[count];
      // Both or none.
      removedIndices = new int[count];
      removedHandles = wider;
    }
    long offset = (long) from * Long.BYTES;
    MemorySegment.copy(handles, JAVA_LONG_UNALIGNED, offset, removedHandles, 0, count);
    for (int i = 0; i < count; i++) {
      removedIndices[i] = layout.index(removedHandles[i]);
    }
    if (!isKeyed()) {
      store.remove(removedIndices, count, removedIndices);
      return;
    }
    for (int i = 0; i < count; i++) {
      removedIndices[i] = removeKeyed(removedIndices[i]);
    }
  }

  /** Returns whether entries may be under keys. */
  private boolean isKeyed() {
    return mayHaveKeys && !keys.isEmpty();
  }

  /** Removes an entry that may be under a key, whose entries are counted. */
  private int removeKeyed(int index) {
    int authKey =
        store.ipv4(index) < 0 && store.load(index, key) ? key.takeAuthKey() : KeyNumbers.NONE;
    int outcome = store.remove(index);
    if (authKey >= 0 && outcome == 0) {
      keys.countEntries(authKey, -1);
    }
    return outcome;
  }

  private FabricException notRemoved(long handle, int outcome, String progress) {
    boolean exhausted = outcome == NO_MEMORY;
    String why = exhausted ? HandleLayout.unrecorded(handle, shortage()) : layout.refusal(handle);
    return new FabricException(
        exhausted ? Errno.ENOMEM : Errno.EINVAL, "%s (%s)".formatted(why, progress));
  }

  /**
   * Gives an entry another address, under the key that it has; 0, or the negative errno that the
   * address failed with.
   *
   * @param source one address
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry
   */
  int replace(long handle, AddressSource source) {
    begin();
    try {
      int index = layout.index(handle);
      if (index < 0 || !store.load(index, replaced)) {
        throw invalid(layout.refusal(handle));
      }
      int errno = source.read(0, key);
      int authKey = replaced.takeAuthKey();
      // The entry for any address may be given what it has, although no call can insert that.
      if (errno != 0 && !key.sameAddress(replaced)) {
        return -errno;
      }
      if (authKey >= 0) {
        key.putUnder(authKey);
      }
      return store.replace(index, key);
    } finally {
      endTellingPeers();
    }
  }

  /** Sets the user id of a live entry (AV-175). */
  void setUserId(long handle, long userId) {
    try (Held _ = lock()) {
      int index = layout.index(handle);
      // Looked at first: an index that is reserved for an asynchronous insertion is not live.
      if (index < 0 || !store.isLive(index)) {
        throw invalid(layout.refusal(handle));
      }
      if (store.setUserId(index, userId) < 0) {
        throw new FabricException(Errno.ENOMEM, "no memory is left for a further user id");
      }
    }
  }

  /** Refuses all calls from now on, but for those that take the lock anyway. */
  void beginClosing() {
    try (Held _ = lockAnyway()) {
      closing = true;
    }
  }

  /** Gives the memory back, once no thread writes any more. */
  void close() {
    try (Held _ = lockAnyway()) {
      keys.close();
      store.close();
    }
  }
}
