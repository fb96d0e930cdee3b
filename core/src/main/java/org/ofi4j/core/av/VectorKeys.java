// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.slot.PassingKey;
import org.ofi4j.core.store.KeyNumbers;

/**
 * The authorization keys of a vector ({@code FI_AV_AUTH_KEY}), by number: the lowest that is unused
 * when the key is inserted, or that which it has already in another process ({@link KeyNumbers}).
 *
 * <p>Their bytes are here and nowhere else, in memory outside of the heap that no collector copies,
 * and become zeros when the key goes or the vector closes. Entries, handles and connections know a
 * key by its number, which says nothing about it: so entries may lie where other processes see
 * them. Nothing here writes a key into any text.
 *
 * <p>A key stays as long as it is used (D-49): by insertions under way, and by endpoints and memory
 * regions that {@linkplain #hold hold} it. Entries that were inserted under a key, by whichever
 * process, keep its number only.
 *
 * <p>Safe to call from any thread. A thread that removes keys or changes entries has the vector's
 * lock as well, so that no key is removed between the check of its handle and the entry that refers
 * to it.
 */
public final class VectorKeys {
  private static final int INVALID = -Errno.EINVAL.number();
  private static final int ABSENT = -Errno.ENOKEY.number();

  private static final class Known {
    final MemorySegment bytes;
    long shares = 1;
    final List<Object> holders = new ArrayList<>();

    /** The user id, which is reported instead of the handle; for any thread. */
    volatile @Nullable Long userId;

    Known(MemorySegment bytes) {
      this.bytes = bytes;
    }

    /** Returns why the key stays, for messages. */
    String uses() {
      return holders.stream().distinct().map(String::valueOf).collect(Collectors.joining(", "));
    }
  }

  private final ReadableVector vector;
  private final Supplier<Held> lock;
  private final Supplier<Held> begin;
  private final HandleLayout layout;
  private final KeyNumbers numbers;

  /** By number; replaced when one comes or goes. */
  private volatile @Nullable Known[] known = {};

  /**
   * The keys of a new vector, which has none, or those that other processes have.
   *
   * @param lock takes the lock of this process
   * @param begin takes the lock for changes of entries
   */
  VectorKeys(ReadableVector vector, Supplier<Held> lock, Supplier<Held> begin) {
    this.vector = vector;
    this.lock = lock;
    this.begin = begin;
    this.layout = vector.layout;
    this.numbers = vector.store.keyNumbers(vector.rules.mostKeys());
  }

  // Calls of applications, which take the vector's lock.

  /** Adds an authorization key, or a share of one that is there (AV-155, D-48); its handle. */
  long insert(byte[] bytes) {
    try (Held _ = lock.get()) {
      int number = share(bytes);
      if (number >= 0) {
        return layout.keyHandle(number);
      }
    }
    // Takes some milliseconds.
    byte[] fingerprint = numbers.fingerprint(bytes);
    try (Held _ = begin.get()) {
      return layout.keyHandle(insert(bytes, fingerprint));
    }
  }

  /**
   * Removes authorization keys in the order given, past those that stay (D-30).
   *
   * @throws FabricException with the first error, after all
   */
  void remove(MemorySegment handles, int count) {
    FabricException first = null;
    try (Held _ = begin.get()) {
      for (int i = 0; i < count; i++) {
        long handle = handles.getAtIndex(JAVA_LONG_UNALIGNED, i);
        FabricException failed = remove(handle, " (element " + i + " of " + count + ")");
        first = first == null ? failed : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** Removes a key, or one share of it; returns why not, or null. */
  private synchronized @Nullable FabricException remove(long handle, String where) {
    int number = layout.keyNumber(handle);
    Known key = get(number);
    if (key == null) {
      return refused(handle, where);
    }
    if (!key.holders.isEmpty()) {
      return new FabricException(
          Errno.EBUSY,
          "%s stays, as its key is in use: %s%s"
              .formatted(HandleLayout.text(handle), key.uses(), where));
    }
    if (key.shares > 1) {
      key.shares--;
      return null;
    }
    numbers.free(number);
    replace(number, null);
    key.bytes.fill((byte) 0);
    return null;
  }

  /** Sets the user id of an authorization key (AV-177). */
  void setUserId(long handle, long userId) {
    try (Held _ = lock.get()) {
      live(present(handle)).userId = userId;
    }
  }

  /**
   * Copies as much of the key of a handle as fits; returns the full length (AV-171, AV-172).
   *
   * @param buffer memory that can be written
   */
  int copy(long handle, MemorySegment buffer) {
    try (Held _ = lock.get()) {
      int number =
          layout.keyNumber(handle) >= 0
              ? present(handle)
              : numberOfEntry(layout.index(handle), handle);
      MemorySegment bytes = live(number).bytes;
      buffer.copyFrom(bytes.asSlice(0, Math.min(bytes.byteSize(), buffer.byteSize())));
      return (int) bytes.byteSize();
    }
  }

  /**
   * The number of the key that an entry is under. To be called with the vector's lock, which keeps
   * the entry, and its key with it.
   *
   * @throws FabricException with {@link Errno#EINVAL} if there is no entry, {@link Errno#ENOKEY} if
   *     it is under no key, or under one that is not here
   */
  private int numberOfEntry(int index, long handle) {
    AddressKey key = new AddressKey();
    if (index < 0 || !vector.store.load(index, key)) {
      throw invalid(layout.refusal(handle));
    }
    int number = key.takeAuthKey();
    if (get(number) == null) {
      throw new FabricException(
          Errno.ENOKEY,
          HandleLayout.text(handle)
              + (number < 0 ? " was inserted without an authorization key" : absent(number)));
    }
    return number;
  }

  // Changes, with the vector's lock.

  /**
   * Adds a share of a key that is there (D-48).
   *
   * @param key its bytes, of the right size
   * @return its number, or {@link KeyNumbers#NONE} if it is not there
   */
  private synchronized int share(byte[] key) {
    int found = KeyNumbers.NONE;
    for (int i = 0; i < known.length; i++) {
      Known other = known[i];
      if (other != null && isSame(other, key)) {
        found = i;
        other.shares++;
      }
    }
    return found;
  }

  /**
   * Adds a key, or a share of one that is there.
   *
   * @param key its bytes, of the right size
   * @param fingerprint that of the key
   * @return its number
   * @throws FabricException with {@link Errno#ENOSPC} if there are as many as there may be
   */
  private synchronized int insert(byte[] key, byte[] fingerprint) {
    int shared = share(key);
    if (shared >= 0) {
      return shared;
    }
    MemorySegment copy = copyOf(key);
    int number = KeyNumbers.NONE;
    try {
      number = numbers.allocate(fingerprint);
    } finally {
      if (number == KeyNumbers.NONE) {
        copy.fill((byte) 0);
      }
    }
    if (number == KeyNumbers.NONE) {
      throw new FabricException(
          Errno.ENOSPC,
          ("the vector has %s authorization keys, as many as max_ep_auth_key of its domain"
                  + " allows, with removed ones that addresses are under: remove one and its"
                  + " addresses, or ask for more in the hints")
              .formatted(vector.rules.mostKeys()));
    }
    replace(number, new Known(copy));
    return number;
  }

  /** Tells that an entry under a key came or went, of whichever process. */
  synchronized void countEntries(int number, int change) {
    numbers.countEntries(number, change);
  }

  // For any thread.

  /** The number of the key that a handle names, or {@link KeyNumbers#NONE}. */
  int number(long handle) {
    int number = layout.keyNumber(handle);
    return get(number) == null ? KeyNumbers.NONE : number;
  }

  /**
   * As {@link #number}; instead of {@link KeyNumbers#NONE} the negative errno of {@link #refused}.
   */
  int numberOrErrno(long handle) {
    int number = layout.keyNumber(handle);
    if (get(number) != null) {
      return number;
    }
    return number >= 0 && numbers.isElsewhere(number) ? ABSENT : INVALID;
  }

  /**
   * The number of the key that a handle has to name.
   *
   * @throws FabricException as {@link #refused} has it
   */
  int present(long handle) {
    int number = number(handle);
    if (number < 0) {
      throw refused(handle, "");
    }
    return number;
  }

  /**
   * Returns the refusal of a handle that names no key of this opening.
   *
   * @param where text to add to the message
   * @return an exception with {@link Errno#ENOKEY} if another process has the key, else with {@link
   *     Errno#EINVAL}
   */
  FabricException refused(long handle, String where) {
    return numberOrErrno(handle) == ABSENT
        ? new FabricException(
            Errno.ENOKEY, HandleLayout.text(handle) + absent(layout.keyNumber(handle)) + where)
        : invalid(layout.keyRefusal(handle) + where);
  }

  /** Describes a key that was not inserted by this opening. */
  private static String absent(int number) {
    return (" needs authorization key %s of the vector, which was removed or not inserted here:"
            + " insert the same key first")
        .formatted(number);
  }

  /** Whether there never was a key, so that no entry can be under one. With the vector's lock. */
  boolean isEmpty() {
    return numbers.isEmpty();
  }

  /** See {@link TransferPeers#reportedAuthKey}. */
  long reported(int number) {
    Known key = get(number);
    if (key == null) {
      return Handles.NOT_AVAILABLE;
    }
    Long id = key.userId;
    if (id != null) {
      return id;
    }
    return vector.rules.reportsUserIdsOnly() ? Handles.NOT_AVAILABLE : layout.keyHandle(number);
  }

  // For endpoints and memory regions.

  /**
   * Takes all authorization keys that there are now for an endpoint that is being opened, or a
   * memory region that is being registered (AV-157 to AV-159). They are not removed before they are
   * let go. The holder also has to hold {@link CoreAddressVector#lifetime}.
   *
   * @param holder takes them; for messages to a caller that wants to remove one
   * @throws FabricException with {@link Errno#EINVAL} if there are none
   */
  public HeldAuthKeys holdAll(FabricObject holder) {
    vector.lifetime().checkOpen();
    HeldAuthKeys held = hold(holder, _ -> true);
    if (held.count() == 0) {
      throw invalid(
          "%s takes the authorization keys of %s, which has none: insert one before"
              .formatted(holder, vector.lifetime().subject()));
    }
    return held;
  }

  /**
   * As {@link #holdAll}, of one key (AV-166).
   *
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no key, {@link
   *     Errno#ENOKEY} if only other processes have that key
   */
  public HeldAuthKeys hold(FabricObject holder, long authKey) {
    vector.lifetime().checkOpen();
    int wanted = present(authKey);
    HeldAuthKeys held = hold(holder, number -> number == wanted);
    if (held.count() == 0) {
      // It was removed at this moment.
      throw refused(authKey, "");
    }
    return held;
  }

  /**
   * As {@link #holdAll}, of the one key that an entry is under.
   *
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry, {@link
   *     Errno#ENOKEY} if the entry is under no key, or one that only other processes have
   */
  public HeldAuthKeys holdThatOf(FabricObject holder, long handle) {
    try (Held _ = lock.get()) {
      int number = numberOfEntry(layout.transferIndex(handle), handle);
      return hold(holder, layout.keyHandle(number));
    }
  }

  /**
   * Keeps keys from being removed.
   *
   * @param holder says in messages what keeps them
   * @param wanted the numbers of those to keep, if there are such keys now
   */
  synchronized HeldAuthKeys hold(Object holder, IntPredicate wanted) {
    int[] present =
        IntStream.range(0, known.length).filter(i -> known[i] != null && wanted.test(i)).toArray();
    HeldAuthKeys held = new HeldAuthKeys(holder, present);
    for (int number : present) {
      live(number).holders.add(holder);
    }
    return held;
  }

  /** Ends what {@link #hold} began; after the vector has closed it does nothing. */
  private synchronized void letGo(Object holder, int[] held) {
    for (int number : held) {
      Known key = get(number);
      if (key != null) {
        key.holders.remove(holder);
      }
    }
  }

  private synchronized PassingKey passing(int number) {
    return new PassingKey(live(number).bytes);
  }

  /** Forgets all keys. */
  synchronized void close() {
    for (Known key : known) {
      if (key != null) {
        key.bytes.fill((byte) 0);
      }
    }
    known = new Known[0];
  }

  private static boolean isSame(Known other, byte[] key) {
    byte[] its = other.bytes.toArray(JAVA_BYTE);
    try {
      return MessageDigest.isEqual(its, key);
    } finally {
      Arrays.fill(its, (byte) 0);
    }
  }

  private static MemorySegment copyOf(byte[] key) {
    try {
      return Arena.ofAuto()
          .allocate(AddressVector.AUTH_KEY_SIZE)
          .copyFrom(MemorySegment.ofArray(key));
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM, "no memory is left for a further authorization key", exhausted);
    }
  }

  private void replace(int number, @Nullable Known key) {
    @Nullable Known[] changed = Arrays.copyOf(known, Math.max(known.length, number + 1));
    changed[number] = key;
    known = changed;
  }

  private @Nullable Known get(int number) {
    @Nullable Known[] now = known;
    return number >= 0 && number < now.length ? now[number] : null;
  }

  private Known live(int number) {
    Known key = get(number);
    if (key == null) {
      throw invalid("authorization key " + number + " is gone");
    }
    return key;
  }

  /**
   * The authorization keys that an endpoint took from its vector when it was opened, or a memory
   * region when it was registered: what came later is not among them (AV-158, AV-159), and what is
   * among them is not removed before this is closed (AV-133). A key is known by its number, which
   * no other key has as long as it is held.
   *
   * <p>Immutable but for {@link #close}; any thread may use it. Nothing here gives the bytes of a
   * key away.
   */
  public final class HeldAuthKeys implements AutoCloseable {
    private final Object holder;
    private final int[] held;
    private boolean released;

    private HeldAuthKeys(Object holder, int[] held) {
      this.holder = holder;
      this.held = held;
    }

    /** How many keys there are, at least 1. */
    public int count() {
      return held.length;
    }

    /** The number of one of them, which ascends with the position from 0 to {@link #count} - 1. */
    public int number(int position) {
      return held[position];
    }

    /** Whether a key, or any other number, is among them. Allocates nothing. */
    public boolean contains(int number) {
      return Arrays.binarySearch(held, number) >= 0;
    }

    /** The handle of one of them, which {@code insertAuthKey} returned. */
    public long handle(int number) {
      return layout.keyHandle(number);
    }

    /**
     * HMAC-SHA-256 under one of them. Nothing that was derived from the key is left behind.
     *
     * @param pieces what remains in each is read, one after the other
     * @return 32 bytes
     * @throws FabricException with {@link Errno#EINVAL} if it is not among them or this is closed
     */
    public synchronized byte[] hmac(int number, ByteBuffer... pieces) {
      // After that its number may be that of another key.
      if (released || !contains(number)) {
        throw invalid(
            "%s does not hold authorization key %s%s"
                .formatted(holder, number, released ? ": it has let all of them go" : ""));
      }
      // The copy is there until the end: the computation may read it as late as that.
      try (PassingKey passing = passing(number)) {
        return KeyedHash.of(passing, pieces);
      }
    }

    /** Lets the keys go. Closing again does nothing. */
    @Override
    public void close() {
      synchronized (this) {
        if (released) {
          return;
        }
        released = true;
      }
      letGo(holder, held);
    }

    @Override
    public String toString() {
      return held.length + " authorization keys " + Arrays.toString(held) + " of " + holder;
    }
  }
}
