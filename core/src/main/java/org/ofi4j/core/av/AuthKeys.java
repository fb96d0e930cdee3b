package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;

/**
 * The authorization keys of one vector, by number: the lowest that is unused when the key comes.
 *
 * <p>Their bytes are here and nowhere else, in memory outside of the heap that no collector copies,
 * and become zeros when the key goes or the vector closes. Entries, handles and connections know a
 * key by its number, which says nothing about it: so entries may lie where other processes see
 * them. Nothing here writes a key into any text.
 *
 * <p>A key stays as long as anything uses it: entries that were inserted under it,
 * insertions under way, endpoints and memory regions that {@linkplain #hold hold} it.
 *
 * <p>Safe to call from any thread. Whoever removes keys or changes entries has the vector's lock as
 * well, so that no key goes between the look at its handle and the entry that refers to it.
 */
final class AuthKeys {
  /** The number of no key: that of an entry without. */
  static final int NONE = -1;

  static final int SIZE = AddressVector.AUTH_KEY_SIZE;

  /** More than anybody has: numbers from here on are for other uses of their handles. */
  static final int MAX = 1 << 30;

  private static final String MAC = "HmacSHA256";
  private static final SecretKey NOTHING = new SecretKeySpec(new byte[1], MAC);
  private static final int INVALID = -Errno.EINVAL.number();
  private static final int BUSY = -Errno.EBUSY.number();

  /** A key that is there. */
  private static final class Known {
    final MemorySegment bytes;
    long shares = 1;
    long entries;
    long insertions;
    final List<FabricObject> holders = new ArrayList<>();

    /** What is reported instead of the handle; for any thread. */
    volatile @Nullable Long userId;

    Known(MemorySegment bytes) {
      this.bytes = bytes;
    }

    boolean isUsed() {
      return entries > 0 || insertions > 0 || !holders.isEmpty();
    }
  }

  private final HandleLayout layout;
  private final int most;
  private final boolean userIdsOnly;
  private final List<MemorySegment> vacant = new ArrayList<>();
  private @Nullable Arena arena;
  private boolean closed;

  /** By number; replaced when one comes or goes. */
  private volatile @Nullable Known[] known = {};

  /**
   * No keys.
   *
   * @param layout the handles of the vector
   * @param most how many there may be at a time
   * @param userIdsOnly whether completions report user ids and nothing else (AV-168)
   */
  AuthKeys(HandleLayout layout, int most, boolean userIdsOnly) {
    this.layout = layout;
    this.most = most;
    this.userIdsOnly = userIdsOnly;
  }

  // With the vector's lock.

  /**
   * Adds a key, or a share of one that is there (AV-155, A-26).
   *
   * @param key its bytes, of the right size
   * @return its number
   * @throws FabricException with {@link Errno#ENOSPC} if there are as many as there may be
   */
  synchronized int insert(byte[] key) {
    int unused = -1;
    int found = -1;
    for (int i = known.length - 1; i >= 0; i--) {
      Known other = known[i];
      if (other == null) {
        unused = i;
      } else if (isSame(other, key)) {
        found = i;
      }
    }
    if (found >= 0) {
      live(found).shares++;
      return found;
    }
    int number = unused >= 0 ? unused : known.length;
    if (number >= most) {
      throw new FabricException(
          Errno.ENOSPC,
          "the vector has "
              + most
              + " authorization keys, as many as max_ep_auth_key of its domain allows: remove one,"
              + " or ask for more in the hints");
    }
    replace(number, new Known(copyOf(key)));
    return number;
  }

  /**
   * Takes a key away, or one share of it.
   *
   * @param number any number
   * @return 0, {@code -EINVAL} if there is none, {@code -EBUSY} if it is used
   */
  synchronized int remove(int number) {
    Known key = get(number);
    if (key == null) {
      return INVALID;
    }
    if (key.shares > 1) {
      key.shares--;
      return 0;
    }
    if (key.isUsed()) {
      return BUSY;
    }
    replace(number, null);
    key.bytes.fill((byte) 0);
    vacant.add(key.bytes);
    return 0;
  }

  /** Why a key stays, for messages. */
  synchronized String uses(int number) {
    Known key = get(number);
    if (key == null) {
      return "gone";
    }
    List<String> uses = new ArrayList<>();
    if (key.entries > 0) {
      uses.add(key.entries + " addresses inserted under it");
    }
    if (key.insertions > 0) {
      uses.add("insertions under way");
    }
    key.holders.stream().distinct().map(String::valueOf).forEach(uses::add);
    return String.join(", ", uses);
  }

  /** Tells that an entry under a key came or went. */
  synchronized void countEntries(int number, int change) {
    live(number).entries += change;
  }

  /** Tells that an insertion that will need a key began or ended. */
  synchronized void countInsertions(int number, int change) {
    live(number).insertions += change;
  }

  // For any thread.

  /** The number of the key that a handle names, or {@link #NONE}. */
  int number(long handle) {
    int number = layout.keyNumber(handle);
    return get(number) == null ? NONE : number;
  }

  /** Why a handle names no key, for messages. */
  String refusal(long handle) {
    return layout.keyRefusal(handle);
  }

  /** The handle of a key. */
  long handle(int number) {
    return layout.keyHandle(number);
  }

  /** Whether there never was a key, so that no entry can be under one. */
  boolean isEmpty() {
    return known.length == 0;
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

  /** See {@link CoreAddressVector#reportedAuthKey}. */
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
   * @param holder who needs them
   * @param only the number of one key, or {@link #NONE} for all that there are now
   * @return the numbers, ascending; empty if there are none
   */
  synchronized int[] hold(FabricObject holder, int only) {
    int[] numbers = new int[known.length];
    int count = 0;
    for (int i = 0; i < known.length; i++) {
      Known key = known[i];
      if (key != null && (only == NONE || only == i)) {
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
      Mac mac = Mac.getInstance(MAC);
      mac.init(passing);
      try {
        for (ByteBuffer piece : pieces) {
          mac.update(piece);
        }
        return mac.doFinal();
      } finally {
        // Overwrites what was derived from the key, which the collector may leave lying about.
        mac.init(NOTHING);
      }
    } catch (NoSuchAlgorithmException | InvalidKeyException missing) {
      throw new FabricException(
          Errno.ENOSYS,
          MAC + " under 32 bytes is missing, which every Java platform has to have",
          missing);
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
    vacant.clear();
    if (arena != null) {
      arena.close();
      arena = null;
    }
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
      throw new FabricException(Errno.EINVAL, "the vector is closed");
    }
    MemorySegment memory;
    try {
      if (vacant.isEmpty()) {
        arena = arena == null ? Arena.ofShared() : arena;
        memory = arena.allocate(SIZE);
      } else {
        memory = vacant.removeLast();
      }
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM, "no memory is left for a further authorization key", exhausted);
    }
    return memory.copyFrom(MemorySegment.ofArray(key));
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
      throw new FabricException(Errno.EINVAL, "authorization key " + number + " is gone");
    }
    return key;
  }
}
