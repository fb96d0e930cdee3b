// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Handles;
import org.ofi4j.Hints;

/** Datagrams to and from a peer whose address was replaced. */
class ReplacedPeerTest {
  static List<Hints> kinds() {
    return Rig.udpKinds().stream().map(Rig::withSource).toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("The handle sends to the new address, and is the source of what comes from there")
  void movesToAnotherPort(Hints hints) throws Exception {
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint ours = rig.datagrams();
      DatagramEndpoint former = rig.datagrams();
      DatagramEndpoint next = rig.datagrams();
      long toOurs = rig.insert(ours);
      long peer = rig.insert(former);
      former.receive(Rig.buffer(8), "at the former address");
      former.receive(Rig.buffer(8), "at the former address, never");
      ours.inject(Rig.message("x"), peer);
      assertThat(rig.next().context()).isEqualTo("at the former address");
      assertThat(source(rig, ours, former, toOurs)).isEqualTo(peer);

      rig.vector.replace(peer, next.address());
      MemorySegment buffer = Rig.buffer(8);
      next.receive(buffer, "at the new address");
      ours.inject(Rig.message("y"), peer);
      assertThat(rig.next().context()).isEqualTo("at the new address");
      assertThat(Rig.text(buffer, 1)).isEqualTo("y");
      assertThat(source(rig, ours, next, toOurs)).isEqualTo(peer);
      assertThat(source(rig, ours, former, toOurs)).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  private static long source(Rig rig, DatagramEndpoint to, DatagramEndpoint from, long handle)
      throws InterruptedException {
    to.receive(Rig.buffer(8), "source");
    from.inject(Rig.message("z"), handle);
    Completion.Success next = Rig.success(rig.next());
    assertThat(next.context()).isEqualTo("source");
    return next.source();
  }
}
