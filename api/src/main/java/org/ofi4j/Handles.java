// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code fi_addr_t}: how the 64 bits of a handle are divided, and the pure functions over them.
 *
 * <pre>
 *   63 ......... 64-n | 63-n ............ 32 |   31   | 30 ................ 0
 *   receive context   |      peer group      |  key?  |      entry index
 * </pre>
 *
 * <p>{@code n} is the vector's {@link VectorOptions#receiveContextBits}. Bit 31 marks the handle of
 * an authorization key. Handles of a MAP vector below API version 2.0 are opaque: 16 times the
 * slot, from a base. All functions are pure and may be called from any thread.
 */
public final class Handles {
  /** {@code FI_ADDR_NOTAVAIL}: no handle; the result of an address that could not be inserted. */
  public static final long NOT_AVAILABLE = -1L;

  /** {@code FI_ADDR_UNSPEC}: in a receive, any source. Same number as {@link #NOT_AVAILABLE}. */
  public static final long UNSPECIFIED = -1L;

  /** {@code FI_KEY_NOTAVAIL}: no memory key. */
  public static final long KEY_NOT_AVAILABLE = -1L;

  /** Bits of the entry index. */
  public static final int INDEX_BITS = 31;

  /** The most entries that one vector holds. */
  public static final int MAX_ENTRIES = Integer.MAX_VALUE - 1;

  /** Marks the handle of an authorization key. */
  public static final long AUTH_KEY_BIT = 1L << INDEX_BITS;

  /** Where the peer group begins. */
  public static final int GROUP_SHIFT = 32;

  /** The most bits that receive contexts may take. */
  public static final int MAX_RECEIVE_CONTEXT_BITS = 31;

  private static final long LOW_HALF = 0xFFFF_FFFFL;

  private Handles() {}

  /**
   * {@code fi_rx_addr}: the handle that reaches one receive context of a scalable endpoint.
   *
   * <p>On {@link #NOT_AVAILABLE}, which connected endpoints pass, the receive index is kept and all
   * other bits are ones; the C function loses the index there. So the last index, all of whose bits
   * are ones, gives {@link #NOT_AVAILABLE} itself.
   *
   * <p>{@link AddressVector#atReceiveContext} takes the bits from the vector, so that index and
   * bits cannot be exchanged. This function is for programs without the vector.
   *
   * @param handle a handle from an insertion, or an index of a TABLE vector
   * @param receiveIndex the receive context, 0 to {@code 2^receiveContextBits - 1}
   * @param receiveContextBits the bits that the vector reserves, 0 to {@value
   *     #MAX_RECEIVE_CONTEXT_BITS}
   * @return the combined handle, or {@link #NOT_AVAILABLE} if index or bits are out of range
   */
  public static long atReceiveContext(long handle, int receiveIndex, int receiveContextBits) {
    if (receiveContextBits < 0
        || receiveContextBits > MAX_RECEIVE_CONTEXT_BITS
        || receiveIndex < 0
        || (long) receiveIndex >= 1L << receiveContextBits) {
      return NOT_AVAILABLE;
    }
    if (receiveContextBits == 0) {
      return handle;
    }
    int shift = Long.SIZE - receiveContextBits;
    long base = handle == NOT_AVAILABLE ? -1L >>> receiveContextBits : handle;
    return (long) receiveIndex << shift | base;
  }

  /**
   * {@code fi_group_addr}: sets the peer group of a handle. A group that the handle has is
   * replaced; the C function adds the new group to it with a bitwise or.
   *
   * <p>The bits of a receive context are above those of the group, and are cleared too: call {@link
   * #atReceiveContext} on the result.
   *
   * @param handle a handle without receive context
   * @param group the group, 0 being the default one
   * @return the handle in that group; {@link #NOT_AVAILABLE} is returned as it is
   */
  public static long inGroup(long handle, int group) {
    return handle == NOT_AVAILABLE
        ? NOT_AVAILABLE
        : (group & LOW_HALF) << GROUP_SHIFT | (handle & LOW_HALF);
  }

  /**
   * Any source within one peer group, for receives. libfabric has no name for this.
   *
   * @param group the group, at least 0
   * @return a handle whose index part says any source
   */
  public static long anySourceInGroup(int group) {
    return (group & LOW_HALF) << GROUP_SHIFT | LOW_HALF;
  }
}
