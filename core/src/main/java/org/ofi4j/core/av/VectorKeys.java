// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.core.store.KeyNumbers;

/**
 * The authorization keys of a vector ({@code FI_AV_AUTH_KEY}): what applications do with them, and
 * endpoints and memory regions that use them. Any thread may use this.
 */
public final class VectorKeys {
  private static final int BUSY = -Errno.EBUSY.number();

  /** Room for a packed socket address of either family. */
  private static final int PACKED = 28;

  private final CoreAddressVector vector;
  private final AuthKeys keys;
  private final HandleLayout layout;
  private final EntryWriter writer;

  /**
   * The keys of a vector.
   *
   * @param writer has the lock, under which entries, and their keys with them, stay
   */
  VectorKeys(CoreAddressVector vector, AuthKeys keys, HandleLayout layout, EntryWriter writer) {
    this.vector = vector;
    this.keys = keys;
    this.layout = layout;
    this.writer = writer;
  }

  // Calls of applications.

  /** Adds an authorization key; its handle. */
  long insert(byte[] bytes) {
    try (EntryWriter.Held _ = writer.lock()) {
      int number = keys.share(bytes);
      if (number >= 0) {
        return keys.handle(number);
      }
    }
    byte[] fingerprint = keys.fingerprint(bytes);
    try (EntryWriter.Held _ = writer.begin()) {
      return keys.handle(keys.insert(bytes, fingerprint));
    }
  }

  /**
   * Removes authorization keys in the order given, past those that stay (D-30).
   *
   * @throws FabricException with the first error, after all
   */
  void remove(MemorySegment handles, int count) {
    FabricException first = null;
    try (EntryWriter.Held _ = writer.begin()) {
      for (int i = 0; i < count; i++) {
        long handle = handles.getAtIndex(JAVA_LONG_UNALIGNED, i);
        int outcome = keys.remove(layout.keyNumber(handle));
        if (outcome < 0 && first == null) {
          String where = " (element " + i + " of " + count + ")";
          first = outcome == BUSY ? busy(handle, where) : keys.refused(handle, where);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private FabricException busy(long handle, String where) {
    return new FabricException(
        Errno.EBUSY,
        "%s stays, as its key is in use: %s%s"
            .formatted(HandleLayout.text(handle), keys.uses(layout.keyNumber(handle)), where));
  }

  /** Sets the user id of an authorization key (AV-177). */
  void setUserId(long handle, long userId) {
    try (EntryWriter.Held _ = writer.lock()) {
      keys.setUserId(keys.present(handle), userId);
    }
  }

  /** The bytes of the key of a handle, in an array that the caller must clear (AV-171, AV-172). */
  byte[] bytes(long handle, EntryReader reader) {
    try (EntryWriter.Held _ = writer.lock()) {
      int number = keys.number(handle);
      if (number < 0) {
        if (layout.keyNumber(handle) >= 0) {
          throw keys.refused(handle, "");
        }
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
    }
  }

  // For endpoints and memory regions.

  /**
   * Takes all authorization keys that there are now for an endpoint that is being opened, or a
   * memory region that is being registered (AV-157 to AV-159). They are not removed before they are
   * let go. The holder also has to hold {@link CoreAddressVector#lifetime}.
   *
   * @param holder who takes them, for messages to those who want to remove one
   * @throws FabricException with {@link Errno#EINVAL} if there are none
   */
  public HeldAuthKeys holdAll(FabricObject holder) {
    vector.lifetime().checkOpen();
    HeldAuthKeys held = new HeldAuthKeys(keys, holder, keys.hold(holder, KeyNumbers.NONE));
    if (held.count() == 0) {
      throw invalid(
          "%s takes the authorization keys of %s, which has none: insert one before"
              .formatted(holder, vector));
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
    int number = keys.present(authKey);
    HeldAuthKeys held = new HeldAuthKeys(keys, holder, keys.hold(holder, number));
    if (held.count() == 0) {
      // It was removed at this moment.
      throw keys.refused(authKey, "");
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
    // The lock keeps the entry, and its key with it.
    try (EntryWriter.Held _ = writer.lock()) {
      long found =
          vector.peers().keyedSocketAddress(handle, MemorySegment.ofArray(new byte[PACKED]));
      if (found == 0) {
        throw invalid(layout.refusal(handle));
      }
      int number = (int) (found >> Integer.SIZE);
      if (number == KeyNumbers.NONE) {
        throw new FabricException(
            Errno.ENOKEY,
            HandleLayout.text(handle) + " is that of an address without authorization key");
      }
      if (keys.number(keys.handle(number)) < 0) {
        throw new FabricException(
            Errno.ENOKEY, HandleLayout.text(handle) + AuthKeys.absent(number));
      }
      return hold(holder, keys.handle(number));
    }
  }
}
