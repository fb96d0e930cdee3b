// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.ofi4j.internal.Arguments;

/**
 * {@code struct fi_rma_iov} of fi_rma(3): bytes in a peer's memory. The peer has it from {@link
 * MemoryRegion#place}, and sends it in a message to the peers that may reach that memory. As bytes,
 * by {@link #toBytes} and {@link #of}, it has this layout, of {@value #BYTES} bytes in network
 * order, which never changes and so has no version:
 *
 * <pre>
 *   0           8           16          24
 *   +-----------+-----------+-----------+
 *   |  address  |  length   |    key    |
 *   +-----------+-----------+-----------+
 * </pre>
 *
 * <p>The bytes contain the key, so they are as secret as the memory. Immutable.
 *
 * @param address where in the peer's {@link MemoryRegion} they begin
 * @param length how many there are, at least 0
 * @param key the key of that region
 */
public record RemotePlace(long address, long length, long key) {
  /** The length of a place as bytes. */
  public static final int BYTES = 3 * Long.BYTES;

  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** Refuses a length that is none. */
  public RemotePlace {
    if (length < 0) {
      throw new FabricException(
          Errno.EINVAL, "length " + length + ": a place in remote memory has 0 bytes or more");
    }
  }

  /**
   * {@return the place that a peer sent as bytes}
   *
   * @param bytes the bytes of {@link #toBytes}, exactly {@value #BYTES}
   * @throws FabricException with {@link Errno#EINVAL} for another number of bytes, or if their
   *     length is negative
   */
  public static RemotePlace of(byte[] bytes) {
    return of(MemorySegment.ofArray(Arguments.required(bytes, "bytes")));
  }

  /**
   * {@return the place that a peer sent as bytes, read from memory into which they were received}
   *
   * @param bytes the bytes of {@link #toBytes}, exactly {@value #BYTES}
   * @throws FabricException with {@link Errno#EINVAL} for another number of bytes, or if their
   *     length is negative
   * @throws IllegalStateException if the memory was freed
   * @throws WrongThreadException if the memory is of a confined arena of another thread
   */
  public static RemotePlace of(MemorySegment bytes) {
    if (Arguments.required(bytes, "bytes").byteSize() != BYTES) {
      throw new FabricException(
          Errno.EINVAL,
          "a place in remote memory of "
              + bytes.byteSize()
              + " bytes: it has "
              + BYTES
              + "; pass the bytes of the message alone");
    }
    return new RemotePlace(bytes.get(U64, 0), bytes.get(U64, 8), bytes.get(U64, 16));
  }

  /** {@return the place as bytes, {@value #BYTES} in a new array, in the layout above} */
  public byte[] toBytes() {
    byte[] bytes = new byte[BYTES];
    MemorySegment memory = MemorySegment.ofArray(bytes);
    memory.set(U64, 0, address);
    memory.set(U64, 8, length);
    memory.set(U64, 16, key);
    return bytes;
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
