// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;
import org.ofi4j.provider.libfabric.library.ObjectStructs.Fabric;
import org.ofi4j.provider.libfabric.library.ObjectStructs.FabricFunctions;

/** {@code struct fid_fabric}. */
public final class NativeFabric extends NativeObject {
  private final MemorySegment domain;
  private final MemorySegment trywait;

  private NativeFabric(Libfabric library, long address) {
    super(library, "the fabric", address);
    long functions = RawMemory.getLong(address + Fabric.OPS);
    domain = required(functions, FabricFunctions.DOMAIN, "domain");
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

  /**
   * {@code fi_trywait}: whether the descriptors of queues may be waited for.
   *
   * @param objects the address of an array of addresses of queues
   */
  public boolean tryWait(long objects, int count) {
    return trywait.address() == 0 || (int) Downcalls.call(trywait, address(), objects, count) == 0;
  }
}
