// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.slot.PassingKey;
import org.ofi4j.core.store.KeyNumbers;

/**
 * The authorization keys of one vector, by number: the lowest that is unused when the key comes, or
 * that which it has already in another process ({@link KeyNumbers}).
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
 * <p>Safe to call from any thread. Whoever removes keys or changes entries has the vector's lock as
 * well, so that no key goes between the look at its handle and the entry that refers to it.
 */
final class AuthKeys {
  static final int SIZE = AddressVector.AUTH_KEY_SIZE;

  /** More than anybody has: numbers from here on are for other uses of their handles. */
  static final int MAX = 1 << 30;

  private static final int INVALID = -Errno.EINVAL.number();
  private static final int ABSENT = -Errno.ENOKEY.number();
  private static final int BUSY = -Errno.EBUSY.number();

  private static final class Known {
    final MemorySegment bytes;
    long shares = 1;
    long insertions;
    final List<FabricObject> holders = new ArrayList<>();

    /** What is reported instead of the handle; for any thread. */
    volatile @Nullable Long userId;

    Known(MemorySegment bytes) {
      this.bytes = bytes;
    }

    boolean isUsed() {
      return insertions > 0 || !holders.isEmpty();
    }
  }

  private final HandleLayout layout;
  private final KeyNumbers numbers;
  private final int most;
  private final boolean userIdsOnly;
  private boolean closed;

  /** By number; replaced when one comes or goes. */
  private volatile @Nullable Known[] known = {};

  /**
   * No keys.
   *
   * @param most how many there may be at a time, for messages
   * @param userIdsOnly whether completions report user ids and nothing else (AV-168)
   */
  AuthKeys(HandleLayout layout, KeyNumbers numbers, int most, boolean userIdsOnly) {
    this.layout = layout;
    this.numbers = numbers;
    this.most = most;
    this.userIdsOnly = userIdsOnly;
  }

  // With the vector's lock.

  /**
   * Adds a share of a key that is there (D-48).
   *
   * @param key its bytes, of the right size
   * @return its number, or {@link KeyNumbers#NONE} if it is not there
   */
  synchronized int share(byte[] key) {
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
   * Adds a key, or a share of one that is there (AV-155, D-48).
   *
   * @param key its bytes, of the right size
   * @param fingerprint as {@link #fingerprint} tells it
   * @throws FabricException with {@link Errno#ENOSPC} if there are as many as there may be
   */
  synchronized int insert(byte[] key, byte[] fingerprint) {
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
              .formatted(most));
    }
    replace(number, new Known(copy));
    return number;
  }

  /**
   * Takes a key away, or one share of it.
   *
   * @param number any number
   * @return 0, {@code -EINVAL} if there is none, {@code -ENOKEY} if it was not inserted here,
   *     {@code -EBUSY} if it is used
   */
  synchronized int remove(int number) {
    Known key = get(number);
    if (key == null) {
      return numbers.isElsewhere(number) ? ABSENT : INVALID;
    }
    if (key.isUsed()) {
      return BUSY;
    }
    if (key.shares > 1) {
      key.shares--;
      return 0;
    }
    numbers.free(number);
    replace(number, null);
    key.bytes.fill((byte) 0);
    return 0;
  }

  /** Why a key stays, for messages. */
  synchronized String uses(int number) {
    Known key = get(number);
    if (key == null) {
      return "gone";
    }
    List<String> uses = new ArrayList<>();
    if (key.insertions > 0) {
      uses.add("insertions under way");
    }
    key.holders.stream().distinct().map(String::valueOf).forEach(uses::add);
    return String.join(", ", uses);
  }

  /** Tells that an entry under a key came or went, of whichever process. */
  synchronized void countEntries(int number, int change) {
    numbers.countEntries(number, change);
  }

  /** Tells that an insertion that will need a key began or ended. */
  synchronized void countInsertions(int number, int change) {
    live(number).insertions += change;
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
    int number = number(handle);
    return number >= 0 ? number : isElsewhere(handle) ? ABSENT : INVALID;
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
   * That a handle names no key here.
   *
   * @param where what to add to the message
   * @return with {@link Errno#ENOKEY} if it is that of a key elsewhere, else {@link Errno#EINVAL}
   */
  FabricException refused(long handle, String where) {
    int number = layout.keyNumber(handle);
    return isElsewhere(handle)
        ? new FabricException(Errno.ENOKEY, HandleLayout.text(handle) + absent(number) + where)
        : invalid(layout.keyRefusal(handle) + where);
  }

  /** Whether a handle names a key that was inserted elsewhere, and not here. */
  boolean isElsewhere(long handle) {
    int number = layout.keyNumber(handle);
    return number >= 0 && get(number) == null && numbers.isElsewhere(number);
  }

  /** What there is to say of a key that was not inserted here. */
  static String absent(int number) {
    return " needs authorization key "
        + number
        + " of the vector, which was removed or not inserted here: insert the same key first";
  }

  /**
   * What the number of a key is found by. May take some milliseconds, so not with the vector's
   * lock.
   */
  byte[] fingerprint(byte[] key) {
    return numbers.fingerprint(key);
  }

  long handle(int number) {
    return layout.keyHandle(number);
  }

  /** Returns whether the vector may have any. */
  boolean mayExist() {
    return most > 0;
  }

  /** Whether there never was a key, so that no entry can be under one. With the vector's lock. */
  boolean isEmpty() {
    return numbers.isEmpty();
  }

  /** The bytes of a key, in an array that the caller must clear; null if it has gone. */
  synchronized byte @Nullable [] bytes(int number) {
    Known key = get(number);
    return key == null ? null : key.bytes.toArray(JAVA_BYTE);
  }

  /** What is reported for a key from now on. */
  synchronized void setUserId(int number, long id) {
    live(number).userId = id;
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
    return userIdsOnly ? Handles.NOT_AVAILABLE : layout.keyHandle(number);
  }

  /**
   * Keeps keys from being removed.
   *
   * @param only the number of one key, or {@link KeyNumbers#NONE} for all that there are now
   * @return the numbers, ascending; empty if there are none
   */
  synchronized int[] hold(FabricObject holder, int only) {
    int[] numbers = new int[known.length];
    int count = 0;
    for (int i = 0; i < known.length; i++) {
      Known key = known[i];
      if (key != null && (only == KeyNumbers.NONE || only == i)) {
        key.holders.add(holder);
        numbers[count++] = i;
      }
    }
    return Arrays.copyOf(numbers, count);
  }

  /** Ends what {@link #hold} began; after the vector has closed it does nothing. */
  synchronized void letGo(FabricObject holder, int[] numbers) {
    for (int number : numbers) {
      Known key = get(number);
      if (key != null) {
        key.holders.remove(holder);
      }
    }
  }

  /** HMAC-SHA-256 under a key, over what remains in some pieces, one after the other. */
  byte[] hmac(int number, ByteBuffer... pieces) {
    // The copy is there until the end: who computes may look at it as late as that.
    try (PassingKey passing = passing(number)) {
      return KeyedHash.of(passing, pieces);
    }
  }

  private synchronized PassingKey passing(int number) {
    return new PassingKey(live(number).bytes);
  }

  /** Forgets all keys. */
  synchronized void close() {
    closed = true;
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

  private MemorySegment copyOf(byte[] key) {
    if (closed) {
      throw invalid("the vector is closed");
    }
    try {
      return Arena.ofAuto().allocate(SIZE).copyFrom(MemorySegment.ofArray(key));
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
}
