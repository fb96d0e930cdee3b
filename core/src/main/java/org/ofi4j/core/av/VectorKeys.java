package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;

/**
 * The authorization keys of a vector, for endpoints and memory regions that use them ({@code
 * FI_AV_AUTH_KEY}). Any thread may use this.
 */
public final class VectorKeys {
  /** Room for a packed socket address of either family. */
  private static final int PACKED = 28;

  private final CoreAddressVector vector;
  private final AuthKeys keys;
  private final HandleLayout layout;
  private final EntryWriter writer;

  /**
   * The keys of a vector.
   *
   * @param writer has the lock that entries, and their keys with them, stay under
   */
  VectorKeys(CoreAddressVector vector, AuthKeys keys, HandleLayout layout, EntryWriter writer) {
    this.vector = vector;
    this.keys = keys;
    this.layout = layout;
    this.writer = writer;
  }

  /**
   * Takes all authorization keys that there are now for an endpoint that is being enabled, or a
   * memory region that is being registered (AV-157 to AV-159). They are not removed before they are
   * let go. The holder also has to hold {@link CoreAddressVector#lifetime}.
   *
   * @param holder who takes them, for messages to those who want to remove one
   * @return the keys
   * @throws FabricException with {@link Errno#EINVAL} if there are none
   */
  public HeldAuthKeys holdAll(FabricObject holder) {
    vector.lifetime().checkOpen();
    HeldAuthKeys held = new HeldAuthKeys(keys, holder, keys.hold(holder, AuthKeys.NONE));
    if (held.count() == 0) {
      throw new FabricException(
          Errno.EINVAL,
          holder
              + " takes the authorization keys of "
              + vector
              + ", which has none: insert one before (AV-159)");
    }
    return held;
  }

  /**
   * As {@link #holdAll}, of one key (AV-166).
   *
   * @param holder who takes it
   * @param authKey the handle of the key
   * @return the key
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
   * @param holder who takes it
   * @param handle the handle of the entry
   * @return the key
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry, {@link
   *     Errno#ENOKEY} if the entry is under no key, or one that only other processes have
   */
  public HeldAuthKeys holdThatOf(FabricObject holder, long handle) {
    // So that the entry, and its key with it, does not go meanwhile.
    writer.lock();
    try {
      long found =
          vector.peers().keyedSocketAddress(handle, MemorySegment.ofArray(new byte[PACKED]));
      if (found == 0) {
        throw new FabricException(Errno.EINVAL, layout.refusal(handle));
      }
      int number = (int) (found >> Integer.SIZE);
      if (number == AuthKeys.NONE) {
        throw new FabricException(
            Errno.ENOKEY,
            HandleLayout.text(handle) + " is that of an address without authorization key");
      }
      return hold(holder, keys.handle(number));
    } finally {
      writer.unlock();
    }
  }
}
