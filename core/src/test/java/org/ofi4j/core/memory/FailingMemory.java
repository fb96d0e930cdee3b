// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.MemorySegment;

/** Memory that fails at an allocation of the test's choice: once, or until it is mended. */
public final class FailingMemory extends ForwardingMemory {
  private final int failing;
  private final boolean often;
  private int allocations;
  private boolean failed;

  /** Fails once, at the given allocation, the first being 0. */
  public FailingMemory(int failing) {
    this(failing, false);
  }

  private FailingMemory(int failing, boolean often) {
    super(MemorySource.system());
    this.failing = failing;
    this.often = often;
  }

  /** Fails at the given allocation, the first being 0, until {@link #mend}. */
  public static FailingMemory untilMended(int failing) {
    return new FailingMemory(failing, true);
  }

  public void mend() {
    failed = true;
  }

  /** How many allocations did not fail. */
  public int allocations() {
    return allocations;
  }

  @Override
  public MemorySegment allocate(long bytes) {
    if (allocations == failing && !failed) {
      failed = !often;
      throw new OutOfMemoryError("allocation " + failing + " fails");
    }
    allocations++;
    return super.allocate(bytes);
  }
}
