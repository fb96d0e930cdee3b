package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;

/**
 * The entries of one vector as writers see them: whoever changes something holds the lock. Nothing
 * slow happens under it; names are resolved before (AV-006).
 *
 * <p>An outcome of an address is one number: its index, or the negative errno that it failed with.
 */
final class EntryWriter {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int BUSY = -Errno.EBUSY.number();
  private static final int NOT_TRIED = -Errno.ECANCELED.number();
  private static final long A_MOMENT = 20_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final EntryStore store;
  private final HandleLayout layout;
  private final Lifetime lifetime;
  private final VectorEvents events;
  private final AuthKeys keys;
  private final Attachments attachments;

  // Scratch of whoever holds the lock.
  private final AddressKey key = new AddressKey();
  private final PackedAddresses packed;
  private final InsertionBatch batch;
  private final RemovalBatch removals;

  EntryWriter(
      EntryStore store,
      HandleLayout layout,
      AddressCodec codec,
      Lifetime lifetime,
      VectorEvents events,
      AuthKeys keys) {
    this.store = store;
    this.keys = keys;
    this.layout = layout;
    this.lifetime = lifetime;
    this.events = events;
    this.attachments = new Attachments(store, keys);
    this.packed = new PackedAddresses(codec);
    this.batch = new InsertionBatch(store, layout);
    this.removals = new RemovalBatch(store, layout, keys);
  }

  /** The events of the vector. */
  VectorEvents events() {
    return events;
  }

  /**
   * Takes the lock; refuses if the vector has been closed meanwhile.
   *
   * @throws FabricException as {@link EntryStore#late}, if others have it for too long
   */
  void lock() {
    if (!lock.tryLock()) {
      await(Waiting.deadline(store.patience()));
    }
    checkOpen();
  }

  private void await(long deadline) {
    if (!Waiting.lock(lock, deadline)) {
      throw store.late();
    }
  }

  private void checkOpen() {
    if (!lifetime.isOpen()) {
      lock.unlock();
      throw lifetime.closed();
    }
  }

  /** Takes the lock of a vector that may be closing. */
  void lockAnyway() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /**
   * Takes the lock for changes of entries, which is also that of all other processes if the vector
   * has a name.
   *
   * @throws FabricException if the vector has been closed meanwhile, and as {@link
   *     EntryStore#begin}
   */
  void begin() {
    begin(false);
  }

  /** The same for a vector that may be closing. */
  void beginAnyway() {
    begin(true);
  }

  private void begin(boolean anyway) {
    boolean waits = !lock.tryLock();
    // Who waits here waits less for other processes.
    long deadline = waits ? Waiting.deadline(store.patience()) : 0;
    if (waits) {
      await(deadline);
    }
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
    } finally {
      if (!begun) {
        lock.unlock();
      }
    }
  }

  /**
   * The entries of this moment.
   *
   * @param options what they are like
   * @throws FabricException if the vector is closed, or there is no memory, and as {@link
   *     EntryStore#copyInto}
   */
  Snapshot snapshot(StoreOptions options) {
    lock();
    try {
      return new Snapshot(store, options);
    } finally {
      unlock();
    }
  }

  /** Ends what {@link #begin} began. */
  void end() {
    try {
      store.end();
    } finally {
      lock.unlock();
    }
  }

  /** Lets those in who wait for the lock; to be called between two holds of a long operation. */
  void giveWay() {
    if (lock.hasQueuedThreads()) {
      LockSupport.parkNanos(A_MOMENT);
    }
  }

  /**
   * Inserts packed addresses; see {@link #insert}.
   *
   * @throws FabricException with {@link Errno#EINVAL} if results would overwrite addresses
   */
  int insertPacked(
      MemorySegment addresses,
      int count,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags) {
    InsertionEvent event = events.insertion();
    int inserted;
    begin();
    try {
      packed.over(addresses, count);
      long used = packed.extent();
      long handleBytes = (long) count * Long.BYTES;
      SegmentChecks.apart(addresses, "addresses", used, handles, "handles", handleBytes);
      long errorBytes = (long) count * Integer.BYTES;
      SegmentChecks.apart(addresses, "addresses", used, errors, "errors", errorBytes);
      inserted = insertLocked(packed, handles, errors, flags);
    } finally {
      packed.release();
      end();
    }
    if (event != null) {
      event.end(false, count, inserted);
    }
    return inserted;
  }

  /**
   * Inserts addresses and reports on each.
   *
   * @param source the addresses, prepared
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
    InsertionEvent event = events.insertion();
    int inserted;
    begin();
    try {
      inserted = insertLocked(source, handles, errors, flags);
    } finally {
      end();
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
    attachments.check(handles, count, flags);
    boolean plain = !Attachments.in(flags);
    boolean exhausted = false;
    int inserted = 0;
    int i = 0;
    while (i < count && !exhausted) {
      int together = plain && count > 1 ? batch.insert(source, i, handles, errors) : 0;
      if (together > 0) {
        inserted += batch.inserted();
        exhausted = batch.isExhausted();
        i += together;
      } else {
        int outcome = -source.read(i, key);
        if (outcome == 0) {
          outcome = plain ? store.insert(key) : attachments.insert(key, value(handles, i), flags);
          exhausted = outcome == NO_MEMORY;
        }
        inserted += outcome < 0 ? 0 : 1;
        report(i++, outcome, handles, errors);
      }
    }
    for (; i < count; i++) {
      report(i, NOT_TRIED, handles, errors);
    }
    return inserted;
  }

  /**
   * Inserts the addresses of a box. The outcome is for the caller to write where it is wanted,
   * without the lock.
   */
  SymmetricInsertion insert(AddressSource source, SymmetricBox box) {
    InsertionEvent event = events.insertion();
    RangeOutcome outcome = new RangeOutcome();
    begin();
    try {
      for (AddressRange range : box.ranges()) {
        insert(range, outcome);
      }
    } finally {
      end();
    }
    SymmetricInsertion insertion = new SymmetricInsertion(source, box, outcome, layout);
    if (event != null) {
      event.end(false, box.count(), insertion.inserted());
    }
    return insertion;
  }

  private void insert(AddressRange range, RangeOutcome outcome) {
    int pieces = outcome.pieces();
    if (pieces == 0) {
      store.insertRange(range, outcome);
    } else if (endsCall(outcome.first(pieces - 1))) {
      outcome.add(range.count(), NOT_TRIED);
    } else {
      RangeOutcome further = new RangeOutcome();
      store.insertRange(range, further);
      for (int i = 0; i < further.pieces(); i++) {
        outcome.add(further.end(i) - further.start(i), further.first(i));
      }
    }
  }

  /**
   * Inserts one address.
   *
   * @param codec the codec of the vector
   * @param address the address
   * @return its index, or the negative errno
   */
  int insert(AddressCodec codec, FabricAddress address) {
    InsertionEvent event = events.insertion();
    int outcome;
    begin();
    try {
      int errno = codec.read(address, key);
      outcome = errno == 0 ? store.insert(key) : -errno;
    } finally {
      end();
    }
    if (event != null) {
      event.end(false, 1, outcome < 0 ? 0 : 1);
    }
    return outcome;
  }

  /** The handle of an entry. */
  long handle(int index) {
    return layout.handle(index);
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

  private static long value(@Nullable MemorySegment input, int position) {
    return input == null ? 0 : input.getAtIndex(JAVA_LONG_UNALIGNED, position);
  }

  /**
   * Reserves indices in call order (AV-086), and keeps the keys that the addresses come with. To be
   * called with the lock held.
   *
   * @param outcomes becomes the reserved indices; when memory runs out, what became of the rest
   * @param input a user id or key for each, as flags say
   * @throws FabricException with {@link Errno#EINVAL} if keys are none; then nothing has changed
   */
  void reserve(int[] outcomes, @Nullable MemorySegment input, long flags) {
    attachments.check(input, outcomes.length, flags);
    attachments.countInsertion(input, outcomes.length, flags, 1);
    boolean exhausted = false;
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = exhausted ? NOT_TRIED : store.reserve();
      exhausted |= outcomes[i] < 0;
    }
  }

  /**
   * Ends one reservation with an address. To be called with the lock held.
   *
   * @return the outcome
   */
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

  /**
   * Ends one reservation without an address. To be called with the lock held.
   *
   * @return the outcome
   */
  int cancel(int reserved, int errno) {
    if (reserved < 0) {
      return reserved;
    }
    store.cancel(reserved);
    return -errno;
  }

  /** Lets go of the keys that {@link #reserve} kept. To be called with the lock held. */
  void letGo(@Nullable MemorySegment input, int count, long flags) {
    attachments.countInsertion(input, count, flags, -1);
  }

  /** Whether an outcome ends the call early. */
  static boolean endsCall(int outcome) {
    return outcome == NO_MEMORY || outcome == NOT_TRIED;
  }

  /**
   * Removes entries in the order given, past handles that name none (D-30).
   *
   * @throws FabricException with the first error, after all
   */
  void remove(MemorySegment handles, int count) {
    RemovalEvent event = events.removal();
    int refused;
    int firstPosition;
    long firstHandle;
    boolean lackedMemory;
    begin();
    try {
      removals.remove(handles, count);
      refused = removals.refused();
      firstPosition = removals.firstRefused();
      firstHandle = removals.firstRefusedHandle();
      lackedMemory = removals.lackedMemory();
    } finally {
      end();
    }
    if (event != null) {
      event.end(count, count - refused);
    }
    if (refused > 0) {
      throw new FabricException(
          lackedMemory ? Errno.ENOMEM : Errno.EINVAL,
          (lackedMemory ? HandleLayout.unrecorded(firstHandle) : layout.refusal(firstHandle))
              + " (element "
              + firstPosition
              + "; "
              + (count - refused)
              + " of "
              + count
              + " removed)");
    }
  }

  /** Sets the user id of a live entry (AV-175). */
  void setUserId(long handle, long userId) {
    lock();
    try {
      int index = layout.index(handle);
      // Looked at first: an index that is reserved for an asynchronous insertion is not live.
      if (index < 0 || !store.isLive(index)) {
        throw new FabricException(Errno.EINVAL, layout.refusal(handle));
      }
      if (store.setUserId(index, userId) < 0) {
        throw new FabricException(Errno.ENOMEM, "no memory is left for a further user id");
      }
    } finally {
      unlock();
    }
  }

  /** Adds an authorization key; its handle. */
  long insertKey(byte[] bytes) {
    lock();
    try {
      int number = keys.share(bytes);
      if (number >= 0) {
        return keys.handle(number);
      }
    } finally {
      unlock();
    }
    byte[] fingerprint = keys.fingerprint(bytes);
    begin();
    try {
      return keys.handle(keys.insert(bytes, fingerprint));
    } finally {
      end();
    }
  }

  /**
   * Removes authorization keys in the order given, past those that stay (D-30).
   *
   * @throws FabricException with the first error, after all
   */
  void removeKeys(MemorySegment handles, int count) {
    FabricException first = null;
    begin();
    try {
      for (int i = 0; i < count; i++) {
        long handle = handles.getAtIndex(JAVA_LONG_UNALIGNED, i);
        int outcome = keys.remove(layout.keyNumber(handle));
        if (outcome < 0 && first == null) {
          String where = " (element " + i + " of " + count + ")";
          first = outcome == BUSY ? busyKey(handle, where) : keys.refused(handle, where);
        }
      }
    } finally {
      end();
    }
    if (first != null) {
      throw first;
    }
  }

  private FabricException busyKey(long handle, String where) {
    return new FabricException(
        Errno.EBUSY,
        HandleLayout.text(handle)
            + " stays, as its key is in use: "
            + keys.uses(layout.keyNumber(handle))
            + where);
  }

  /** Sets the user id of an authorization key (AV-177). */
  void setKeyUserId(long handle, long userId) {
    lock();
    try {
      int number = keys.number(handle);
      if (number < 0) {
        throw keys.refused(handle, "");
      }
      keys.setUserId(number, userId);
    } finally {
      unlock();
    }
  }

  /**
   * The bytes of the key of a handle, in an array that the caller must clear (AV-171, AV-172).
   *
   * @param reader the entries as readers see them
   */
  byte[] keyOf(long handle, EntryReader reader) {
    lock();
    try {
      if (keys.isElsewhere(handle)) {
        throw keys.refused(handle, "");
      }
      int number = keys.number(handle);
      if (number < 0) {
        number = reader.authKey(handle);
      }
      byte[] bytes = keys.bytes(number);
      if (bytes == null) {
        throw new FabricException(
            Errno.ENOKEY,
            HandleLayout.text(handle)
                + (number < 0
                    ? " was inserted without an authorization key"
                    : AuthKeys.absent(number)));
      }
      return bytes;
    } finally {
      unlock();
    }
  }

  /** What the entries take. */
  MemoryUse memory() {
    lock();
    try {
      return store.memory();
    } finally {
      unlock();
    }
  }

  /** Gives the memory back, once nobody writes any more. */
  void close() {
    lock.lock();
    try {
      keys.close();
      store.close();
    } finally {
      lock.unlock();
    }
  }
}
