// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AllocatedMemoriesTest {
  private final MemoryFabric fabric = MemoryFabric.open();
  private final AllocatedMemories<Memory> memories = new AllocatedMemories<>();

  private final class Memory extends AllocatedMemory {
    Memory() {
      super(fabric.domain, 64, true);
      memories.add(this);
    }

    @Override
    protected void release() {
      memories.remove(this);
      free();
    }
  }

  @Test
  void findsOpenMemoryThatHasAllBytes() {
    Memory[] all = IntStream.range(0, 5).mapToObj(_ -> new Memory()).toArray(Memory[]::new);
    for (Memory each : all) {
      long start = each.segment().address();
      assertThat(memories.find(start, 64)).isSameAs(each);
      assertThat(memories.find(start + 63, 1)).isSameAs(each);
      assertThat(memories.find(start + 63, 2)).isNull();
      assertThat(memories.find(start - 1, 1)).isNull();
    }
    long closed = all[2].segment().address();
    all[2].close();
    assertThat(memories.find(closed, 1)).isNull();
    assertThat(memories.find(all[4].segment().address(), 1)).isSameAs(all[4]);
    for (Memory each : all) {
      each.close();
    }
    fabric.closeAll();
  }
}
