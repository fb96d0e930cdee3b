// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/** {@code struct fid_eq}, of which events of connections are read. */
public final class NativeEventQueue extends WaitableQueue {
  /**
   * What has happened to an endpoint. Whoever reads a request closes its information.
   *
   * @param object the address of the endpoint
   * @param code {@link Constants#CONNREQ} and others; 0 for an error
   * @param info of a request; null if there is none
   * @param data what the peer has given
   * @param errno why it has failed, more than 0; 0 if it has not
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  public record Event(
      long object,
      int code,
      @Nullable NativeInfo info,
      byte[] data,
      int errno,
      int providerErrno,
      @Nullable String words) {}

  private static final byte[] NONE = {};

  /** Of data that comes with an event, more than fabrics allow. */
  private static final long MOST_DATA = 4_096;

  /** Of entries without data, and more than any has. */
  private static final long HEAD = 128;

  private static final long ENTRY = 8;

  private final Arena arena = Arena.ofShared();

  /** What happened (4 bytes), and the entry behind 8 bytes. */
  private final MemorySegment scratch =
      arena.allocate(ENTRY + Offsets.CM_ENTRY_DATA + MOST_DATA, Long.BYTES);

  /** What fabrics may leave as it is where an event has no such member. */
  private final MemorySegment head = scratch.asSlice(0, ENTRY + HEAD);

  private final MemorySegment read;
  private final MemorySegment readError;
  private final MemorySegment describe;

  private NativeEventQueue(NativeFabric fabric, boolean waiting) {
    super(
        fabric,
        "the event queue",
        NativeFunction.FABRIC_EQ_OPEN,
        attributes -> {},
        Offsets.EQ_ATTR_WAIT_OBJ,
        waiting);
    read = required(NativeFunction.EQ_READ);
    readError = required(NativeFunction.EQ_READERR);
    describe = function(NativeFunction.EQ_STRERROR);
  }

  /** {@code fi_eq_open}, with a descriptor to wait for where the fabric has such. */
  public static NativeEventQueue open(NativeFabric fabric) {
    try {
      return new NativeEventQueue(fabric, true);
    } catch (FabricException none) {
      return new NativeEventQueue(fabric, false);
    }
  }

  /** {@code fi_eq_read}, and {@code fi_eq_readerr} if there is an error; null for nothing. */
  public @Nullable Event read() {
    head.fill((byte) 0);
    long entry = scratch.address() + ENTRY;
    long length =
        Downcalls.call(read, address(), scratch.address(), entry, scratch.byteSize() - ENTRY, 0);
    if (length == Constants.TRY_AGAIN) {
      return null;
    }
    if (length == Constants.ERROR_AVAILABLE) {
      return readError(entry);
    }
    if (length < 0) {
      throw failed((int) length);
    }
    long info = RawMemory.getLong(entry + Offsets.CM_ENTRY_INFO);
    int code = RawMemory.getInt(scratch.address());
    boolean asks = code == Constants.CONNREQ && info != 0;
    byte[] data =
        length > Offsets.CM_ENTRY_DATA
            ? RawMemory.bytes(entry + Offsets.CM_ENTRY_DATA, length - Offsets.CM_ENTRY_DATA)
            : NONE;
    return new Event(
        RawMemory.getLong(entry + Offsets.CM_ENTRY_FID),
        code,
        asks ? NativeInfo.given(library(), info) : null,
        data,
        0,
        0,
        null);
  }

  private @Nullable Event readError(long entry) {
    if (Downcalls.call(readError, address(), entry, 0) <= 0) {
      return null;
    }
    long data = RawMemory.getLong(entry + Offsets.EQ_ERROR_ERR_DATA);
    long size = RawMemory.getLong(entry + Offsets.EQ_ERROR_ERR_DATA_SIZE);
    int errno = Math.abs(RawMemory.getInt(entry + Offsets.EQ_ERROR_ERR));
    int providerErrno = RawMemory.getInt(entry + Offsets.EQ_ERROR_PROV_ERRNO);
    return new Event(
        RawMemory.getLong(entry + Offsets.EQ_ERROR_FID),
        0,
        null,
        data == 0 || size <= 0 ? NONE : RawMemory.bytes(data, Math.min(size, MOST_DATA)),
        errno,
        providerErrno,
        providerErrno == 0 ? null : describe(describe, providerErrno, data));
  }

  @Override
  void closed() {
    arena.close();
  }
}
