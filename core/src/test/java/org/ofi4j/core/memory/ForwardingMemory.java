// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.MemorySegment;

/** Memory of another source, which it closes. Tests say what is different. */
public abstract class ForwardingMemory implements MemorySource {
  private final MemorySource memory;

  public ForwardingMemory(MemorySource memory) {
    this.memory = memory;
  }

  @Override
  public MemorySegment allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public final long held() {
    return memory.held();
  }

  @Override
  public final void checkOpen() {
    memory.checkOpen();
  }

  @Override
  public final void close() {
    memory.close();
  }
}
