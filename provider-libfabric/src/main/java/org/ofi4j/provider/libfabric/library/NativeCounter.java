// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;

/** {@code struct fid_cntr}. */
public final class NativeCounter extends NativeObject {
  private final MemorySegment read;
  private final MemorySegment readErrors;

  /** {@code fi_cntr_open} of one that is read and not waited for. */
  public NativeCounter(NativeDomain domain) {
    // All zero: FI_CNTR_EVENTS_COMP, FI_WAIT_NONE.
    super(domain, "the counter", NativeFunction.DOMAIN_CNTR_OPEN, attributes -> {});
    read = required(NativeFunction.CNTR_READ);
    readErrors = required(NativeFunction.CNTR_READERR);
  }

  /** {@code fi_cntr_read}: how many operations have succeeded. */
  public long read() {
    return Downcalls.call(read, address());
  }

  /** {@code fi_cntr_readerr}: how many have failed. */
  public long readErrors() {
    return Downcalls.call(readErrors, address());
  }
}
