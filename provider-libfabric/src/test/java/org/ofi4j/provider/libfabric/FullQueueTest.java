// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;

/** Completions for which the queue had no space when their operations ended. */
class FullQueueTest {
  private static final int MESSAGES = 40;

  @ParameterizedTest
  @EnumSource(Progress.class)
  void waitingReaderGetsCompletionsThatFoundNoSpaceBefore(Progress progress) throws Exception {
    CCompiler.needProvider("shm");
    try (Rig rig = new Rig(Rig.hints("shm").withProgress(progress));
        CompletionQueue small =
            rig.domain.openCompletionQueue(CompletionQueueOptions.defaults().withSize(1));
        ReliableEndpoint endpoint = rig.endpoint(EndpointOptions.of(rig.vector, small))) {
      long self = rig.insert(endpoint);
      List<Object> posted = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        endpoint.receive(Rig.memory(8), "receive " + i);
        endpoint.send(MemorySegment.ofArray(new byte[8]), self, "send " + i);
        posted.add("receive " + i);
        posted.add("send " + i);
      }
      List<Object> ended = new ArrayList<>();
      while (ended.size() < posted.size()) {
        Completion next = small.read(Rig.PATIENCE);
        assertThat(next).isInstanceOf(Completion.Success.class);
        ended.add(next.context());
      }
      assertThat(ended).containsExactlyInAnyOrderElementsOf(posted);
    }
  }
}
