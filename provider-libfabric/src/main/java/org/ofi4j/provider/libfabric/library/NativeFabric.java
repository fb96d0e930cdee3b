// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.AttributeStructs.EventQueue;
import org.ofi4j.provider.libfabric.library.ObjectStructs.FabricFunctions;

/** {@code struct fid_fabric}. */
public final class NativeFabric extends NativeObject {
  private final MemorySegment trywait;

  private NativeFabric(Libfabric library, long address) {
    super(library, "the fabric", address);
    trywait = function(functions(), FabricFunctions.TRYWAIT);
  }

  /** {@code fi_fabric}. */
  public static NativeFabric open(Libfabric library, NativeInfo info) {
    return new NativeFabric(
        library, opened(library, "the fabric", result -> library.fabric(info.fabric(), result)));
  }

  /** {@code fi_domain}. */
  public NativeDomain openDomain(NativeInfo info) {
    return new NativeDomain(
        library(), open("the domain", FabricFunctions.DOMAIN, "domain", info.address()));
  }

  /** {@code fi_passive_ep}, at the source of the information. */
  public NativePassiveEndpoint openPassiveEndpoint(NativeInfo info) {
    return new NativePassiveEndpoint(
        library(),
        open("the passive endpoint", FabricFunctions.PASSIVE_EP, "passive_ep", info.address()));
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
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(AttributeStructs.ROOM, Long.BYTES).address();
      RawMemory.putInt(
          attributes + EventQueue.WAIT_OBJ, waiting ? Constants.WAIT_FD : Constants.WAIT_NONE);
      return new NativeEventQueue(
          library(),
          open("the event queue", FabricFunctions.EQ_OPEN, "eq_open", attributes),
          waiting);
    }
  }

  /** {@code fi_trywait}: whether the descriptor of a queue may be waited for. */
  public boolean tryWait(WaitableQueue queue) {
    if (trywait.address() == 0) {
      return true;
    }
    return (int) Downcalls.call(trywait, address(), queue.list().address(), 1) == 0;
  }
}
