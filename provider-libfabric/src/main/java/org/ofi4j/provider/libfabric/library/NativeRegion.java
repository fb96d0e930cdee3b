// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** {@code struct fid_mr}: memory that is registered. */
public final class NativeRegion extends NativeObject {
  /**
   * {@code fi_mr_regattr}.
   *
   * @param memory where the memory is, which stays until the region is closed
   * @param access bits of {@link org.ofi4j.Access}, and of what else it is used for
   * @param key what peers name it by, where the fabric does not choose that
   */
  public NativeRegion(NativeDomain domain, long memory, long length, long access, long key) {
    super(domain.library(), "the memory region", register(domain, memory, length, access, key));
  }

  private static long register(
      NativeDomain domain, long memory, long length, long access, long key) {
    MemorySegment register = domain.required(NativeFunction.MR_REGATTR);
    try (Arena arena = Arena.ofConfined()) {
      long piece = arena.allocateFrom(ValueLayout.JAVA_LONG, memory, length).address();
      long attributes = arena.allocate(Offsets.ROOM, Long.BYTES).address();
      RawMemory.putLong(attributes + Offsets.MR_ATTR_MR_IOV, piece);
      RawMemory.putLong(attributes + Offsets.MR_ATTR_IOV_COUNT, 1);
      RawMemory.putLong(attributes + Offsets.MR_ATTR_ACCESS, access);
      RawMemory.putLong(attributes + Offsets.MR_ATTR_REQUESTED_KEY, key);
      return opened(
          domain.library(),
          "a region of %s bytes".formatted(length),
          result -> Downcalls.call(register, domain.address(), attributes, 0, result));
    }
  }

  /** {@code fi_mr_desc}: what operations with the memory bring. */
  public long descriptor() {
    return RawMemory.getLong(address() + Offsets.FID_MR_MEM_DESC);
  }

  /** {@code fi_mr_key}: what peers name the memory by. */
  public long key() {
    return RawMemory.getLong(address() + Offsets.FID_MR_KEY);
  }
}
