// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;


/** {@code struct fid_mr}: memory that is registered. */
public final class NativeRegion extends NativeObject {
  NativeRegion(Libfabric library, long address) {
    super(library, "the memory region", address);
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
