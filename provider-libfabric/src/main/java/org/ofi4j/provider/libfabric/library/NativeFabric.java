// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;

/** {@code struct fid_fabric}. */
public final class NativeFabric extends NativeObject {
  private final MemorySegment trywait;

  /** {@code fi_fabric}. */
  public NativeFabric(Libfabric library, NativeInfo info) {
    super(
        library,
        "the fabric",
        opened(library, "the fabric", result -> library.fabric(info.fabric(), result)));
    trywait = function(NativeFunction.FABRIC_TRYWAIT);
  }

  /** {@code fi_trywait}: whether the descriptor of a queue may be waited for. */
  public boolean tryWait(WaitableQueue queue) {
    if (trywait.address() == 0) {
      return true;
    }
    return (int) Downcalls.call(trywait, address(), queue.list().address(), 1) == 0;
  }
}
