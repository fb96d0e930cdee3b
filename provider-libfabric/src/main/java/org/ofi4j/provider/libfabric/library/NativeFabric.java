// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.FabricException;

/** {@code struct fid_fabric}. */
public final class NativeFabric extends NativeObject {
  private final MemorySegment trywait;

  private NativeFabric(Libfabric library, long address) {
    super(library, "the fabric", address);
    trywait = function(NativeFunction.FABRIC_TRYWAIT);
  }

  /** {@code fi_fabric}. */
  public static NativeFabric open(Libfabric library, NativeInfo info) {
    return new NativeFabric(
        library, opened(library, "the fabric", result -> library.fabric(info.fabric(), result)));
  }

  /** {@code fi_domain}. */
  public NativeDomain openDomain(NativeInfo info) {
    return new NativeDomain(
        library(), open("the domain", NativeFunction.FABRIC_DOMAIN, info.address()));
  }

  /** {@code fi_passive_ep}, at the source of the information. */
  public NativePassiveEndpoint openPassiveEndpoint(NativeInfo info) {
    return new NativePassiveEndpoint(
        library(),
        open("the passive endpoint", NativeFunction.FABRIC_PASSIVE_EP, info.address()));
  }

  /** {@code fi_eq_open}, with a descriptor to wait for where the fabric has such. */
  public NativeEventQueue openEventQueue() {
    try {
      return openEventQueue(true);
    } catch (FabricException none) {
      return openEventQueue(false);
    }
  }

  private NativeEventQueue openEventQueue(boolean waiting) {
    return new NativeEventQueue(
        library(),
        open(
            "the event queue",
            NativeFunction.FABRIC_EQ_OPEN,
            attributes ->
                RawMemory.putInt(
                    attributes + Offsets.EQ_ATTR_WAIT_OBJ,
                    waiting ? Constants.WAIT_FD : Constants.WAIT_NONE)),
        waiting);
  }

  /** {@code fi_trywait}: whether the descriptor of a queue may be waited for. */
  public boolean tryWait(WaitableQueue queue) {
    if (trywait.address() == 0) {
      return true;
    }
    return (int) Downcalls.call(trywait, address(), queue.list().address(), 1) == 0;
  }
}
