// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;

/** Several contexts, and a C program of ours on libfabric, which knows nothing of them. */
class LibfabricScalableTest {
  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-034")
  @DisplayName("A C program is refused an index, and speaks with context 0 as with any endpoint")
  void contextZeroAlone(Progress progress) throws Exception {
    try (ScalableSide rig = ScalableSide.open(Rig.tcp("127.0.0.1", progress), 2, 2);
        LibfabricPeer peer = LibfabricPeer.start("messages", "127.0.0.1")) {
      peer.meanwhile(rig::move);
      long toPeer = rig.vector.insert(peer.name());
      long toUs = peer.insert(rig.name());
      // Before they are connected, and after that.
      for (int round = 1; round <= 2; round++) {
        ScalableSide.Transmit sends = rig.transmits.get(round - 1);
        MemorySegment message = Rig.buffer(100);
        Content.fill(message, round);
        peer.ask("receive " + round + " 100", "posted");
        sends.endpoint.send(message, ScalableSide.at(toPeer, 1), "refused");
        sends.endpoint.send(message, toPeer, "sent");
        assertThat(sends.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> {
                  assertThat(failure.context()).isEqualTo("refused");
                  assertThat(failure.errno()).isEqualTo(Errno.EOPNOTSUPP);
                  assertThat(failure.reason()).contains("no receive contexts to be named");
                });
        assertThat(sends.next().context()).isEqualTo("sent");
        assertThat(peer.ask("await " + round)).startsWith("received 100 ");

        MemorySegment buffer = rig.post(0, "received");
        peer.ask("send " + (10 + round) + " " + toUs + " 60", "posted");
        Completion.Success received = Rig.success(rig.receives.getFirst().next());
        assertThat(received.context()).isEqualTo("received");
        assertThat(received.source()).isEqualTo(toPeer);
        Content.verify(buffer.asSlice(0, 60), 10 + round);
        assertThat(peer.ask("await " + (10 + round))).isEqualTo("sent");
      }
      assertThat(rig.receives.get(1).queue.read(Duration.ofMillis(1))).isNull();
      peer.finish();
    }
  }
}
