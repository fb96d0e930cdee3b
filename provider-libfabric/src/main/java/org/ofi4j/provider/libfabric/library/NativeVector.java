// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;

/** {@code struct fid_av}: libfabric's own vector, which knows the peers that are spoken to. */
public final class NativeVector extends NativeObject {
  private final MemorySegment insert;
  private final MemorySegment remove;

  /** {@code fi_av_open} of a table. */
  public NativeVector(NativeDomain domain) {
    super(
        domain,
        "the address vector",
        NativeFunction.DOMAIN_AV_OPEN,
        attributes -> RawMemory.putInt(attributes + Offsets.AV_ATTR_TYPE, Constants.AV_TABLE));
    insert = required(NativeFunction.AV_INSERT);
    remove = required(NativeFunction.AV_REMOVE);
  }

  /**
   * {@code fi_av_insert} of one address.
   *
   * @param packed where the address is
   * @param result takes the handle, 8 bytes
   * @return 1 if it was inserted; 0 or a negative errno if not
   */
  public int insert(long packed, long result) {
    return (int) Downcalls.call(insert, address(), packed, 1, result, 0, 0);
  }

  /**
   * {@code fi_av_remove} of one handle; 0 or a negative errno.
   *
   * @param handles where the handle is, 8 bytes
   */
  public int remove(long handles) {
    return (int) Downcalls.call(remove, address(), handles, 1, 0);
  }
}
