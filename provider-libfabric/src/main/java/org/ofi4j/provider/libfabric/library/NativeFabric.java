// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.AttributeStructs.EventQueue;
import org.ofi4j.provider.libfabric.library.ObjectStructs.FabricFunctions;

/** {@code struct fid_fabric}. */
public final class NativeFabric extends NativeObject {
  private final MemorySegment domain;
  private final MemorySegment passiveEndpoint;
  private final MemorySegment eventQueue;
  private final MemorySegment trywait;

  private NativeFabric(Libfabric library, long address) {
    super(library, "the fabric", address);
    long functions = RawMemory.getLong(address + ObjectStructs.OPS);
    domain = required(functions, FabricFunctions.DOMAIN, "domain");
    passiveEndpoint = function(functions, FabricFunctions.PASSIVE_EP);
    eventQueue = function(functions, FabricFunctions.EQ_OPEN);
    trywait = function(functions, FabricFunctions.TRYWAIT);
  }

  /** {@code fi_fabric}. */
  public static NativeFabric open(Libfabric library, NativeInfo info) {
    return new NativeFabric(
        library, opened(library, "the fabric", result -> library.fabric(info.fabric(), result)));
  }

  /** {@code fi_domain}. */
  public NativeDomain openDomain(NativeInfo info) {
    return new NativeDomain(
        library(),
        opened(
            library(),
            "the domain",
            result -> Downcalls.call(domain, address(), info.address(), result, 0)));
  }

  /** {@code fi_passive_ep}, at the source of the information. */
  public NativePassiveEndpoint openPassiveEndpoint(NativeInfo info) {
    return new NativePassiveEndpoint(
        library(), open("the passive endpoint", passiveEndpoint, info.address()));
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
          library(), open("the event queue", eventQueue, attributes), waiting);
    }
  }

  private long open(String what, MemorySegment function, long attributes) {
    if (function.address() == 0) {
      throw new FabricException(Errno.ENOSYS, "the fabric has no function for " + what);
    }
    return opened(
        library(), what, result -> Downcalls.call(function, address(), attributes, result, 0));
  }

  /** {@code fi_trywait}: whether the descriptor of a queue may be waited for. */
  public boolean tryWait(WaitableQueue queue) {
    if (trywait.address() == 0) {
      return true;
    }
    return (int) Downcalls.call(trywait, address(), queue.list().address(), 1) == 0;
  }
}
