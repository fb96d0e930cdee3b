// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.MemorySegment;

/** Memory that fails once, at an allocation of the test's choice. */
public final class FailingMemory extends ForwardingMemory {
  private final int failing;
  private int allocations;

  /** Fails at the given allocation, the first being 0. */
  public FailingMemory(int failing) {
    super(MemorySource.system());
    this.failing = failing;
  }

  public int allocations() {
    return allocations;
  }

  @Override
  public MemorySegment allocate(long bytes) {
    if (allocations++ == failing) {
      throw new OutOfMemoryError("allocation " + failing + " fails");
    }
    return super.allocate(bytes);
  }
}
