// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** {@code struct fid_cq}, of entries as {@code struct fi_cq_tagged_entry}. */
public final class NativeQueue extends WaitableQueue {
  private final MemorySegment read;
  private final MemorySegment readFrom;
  private final MemorySegment readError;
  private final MemorySegment describe;

  NativeQueue(Libfabric library, long address, boolean waiting) {
    super(library, "the completion queue", address, waiting);
    read = required(NativeFunction.CQ_READ);
    readFrom = required(NativeFunction.CQ_READFROM);
    readError = required(NativeFunction.CQ_READERR);
    describe = function(NativeFunction.CQ_STRERROR);
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
