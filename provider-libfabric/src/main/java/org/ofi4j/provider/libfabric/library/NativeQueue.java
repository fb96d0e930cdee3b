// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/** {@code struct fid_cq}, of entries as {@code struct fi_cq_tagged_entry}. */
public final class NativeQueue extends WaitableQueue {
  private final MemorySegment read;
  private final MemorySegment readFrom;
  private final MemorySegment readError;
  private final MemorySegment describe;

  /**
   * {@code fi_cq_open}.
   *
   * @param waiting whether there is to be a descriptor to wait for
   */
  public NativeQueue(NativeDomain domain, long size, boolean waiting) {
    super(
        domain,
        "the completion queue",
        NativeFunction.DOMAIN_CQ_OPEN,
        attributes -> {
          RawMemory.putLong(attributes + Offsets.CQ_ATTR_SIZE, size);
          RawMemory.putInt(attributes + Offsets.CQ_ATTR_FORMAT, Constants.CQ_FORMAT_TAGGED);
        },
        Offsets.CQ_ATTR_WAIT_OBJ,
        waiting);
    read = required(NativeFunction.CQ_READ);
    readFrom = required(NativeFunction.CQ_READFROM);
    readError = required(NativeFunction.CQ_READERR);
    describe = function(NativeFunction.CQ_STRERROR);
  }

  /** Returns whether queues of a domain can have descriptors to wait for. */
  public static boolean haveDescriptors(NativeDomain domain) {
    NativeQueue probe;
    try {
      probe = new NativeQueue(domain, 1, true);
    } catch (FabricException none) {
      return false;
    }
    try {
      return probe.descriptor() >= 0;
    } finally {
      probe.close();
    }
  }

  /** {@code fi_cq_read}: how many entries were read, or a negative errno. */
  public int read(long entries, int count) {
    return (int) Downcalls.call(read, address(), entries, count);
  }

  /** {@code fi_cq_readfrom}, with the native handle that each entry is from. */
  public int readFrom(long entries, int count, long sources) {
    return (int) Downcalls.call(readFrom, address(), entries, count, sources);
  }

  /** {@code fi_cq_readerr}: 1 if an error was read, 0 or a negative errno if not. */
  public int readError(long entry) {
    return (int) Downcalls.call(readError, address(), entry, 0);
  }

  /** {@code fi_cq_strerror}: what the fabric says of an error, or null. */
  public @Nullable String describe(int providerErrno, long data) {
    return describe(describe, providerErrno, data);
  }
}
