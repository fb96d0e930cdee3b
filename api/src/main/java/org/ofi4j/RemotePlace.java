// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fi_rma_iov}: bytes in a peer's memory. The peer has it from {@link
 * MemoryRegion#place}, and tells it to whom may reach that memory.
 *
 * @param address where in the peer's {@link MemoryRegion} they begin
 * @param length how many there are, at least 0
 * @param key the key of that region
 */
public record RemotePlace(long address, long length, long key) {
  /** Refuses a length that is none. */
  public RemotePlace {
    if (length < 0) {
      throw new FabricException(
          Errno.EINVAL, "length " + length + ": a place in remote memory has 0 bytes or more");
    }
  }

  /**
   * {@return the place without its first bytes}
   *
   * @param offset how many bytes are left out, from 0 to the length
   * @throws FabricException with {@link Errno#EINVAL} for another number
   */
  public RemotePlace from(long offset) {
    checkOffset(offset);
    return new RemotePlace(address + offset, length - offset, key);
  }

  void checkOffset(long offset) {
    if (offset < 0 || offset > length) {
      throw new FabricException(
          Errno.EINVAL, "offset " + offset + ": the place has " + length + " bytes");
    }
  }

  /** Without the key, which is all that protects the memory. */
  @Override
  public String toString() {
    return "RemotePlace[address=" + address + ", length=" + length + "]";
  }
}
