// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fi_rma_iov}: bytes in a peer's memory, for operations that reach several places at
 * a time.
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

  /** Without the key, which is all that protects the memory. */
  @Override
  public String toString() {
    return "RemotePlace[address=" + address + ", length=" + length + "]";
  }
}
