// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransferMemory;

/** Messages in memory that a fabric reads where it lies. */
class ChangedMessageTest {
  @Test
  void messageThatIsChangedBeforeItsCompletionFails() throws Exception {
    CCompiler.needProvider("shm");
    try (Rig rig = new Rig(Rig.hints("shm"));
        TransferMemory memory = rig.domain.allocate(64)) {
      ReliableEndpoint one = rig.endpoint();
      ReliableEndpoint two = rig.endpoint();
      long toTwo = rig.insert(two);
      MemorySegment message = memory.segment();
      two.receive(Rig.memory(64), "received");
      one.send(message, toTwo, "sent");
      message.fill((byte) 1);
      Completion.Failure failure = (Completion.Failure) rig.next("sent");
      assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
      assertThat(failure.reason()).contains("was changed after the call that posted it");
      rig.success("received");
    }
  }
}
