// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;

/** Memory of arenas that are closed or belong to a thread. */
class PostedMemoryTest {
  private static final String CONFINED = "automatic progress moves data with its own";

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Confined memory can be injected, because only the calling thread reads it")
  void injectConfined(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      for (int i = 0; i < 2; i++) {
        MemorySegment buffer = Rig.buffer(8);
        endpoint.receive(buffer, "receive");
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment message = arena.allocateFrom("hello");
          if (i == 0) {
            endpoint.inject(message, self);
          } else {
            endpoint.send(new SendRequest().memory(message).destination(self).injected(true));
          }
        }
        rig.nextOf("receive");
        assertThat(buffer.getString(0)).isEqualTo("hello");
      }
    }
  }

  @Test
  @DisplayName("The refusal names what is wrong with the memory, and nothing else")
  void words() {
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.AUTO));
        Arena confined = Arena.ofConfined()) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      Arena closed = Arena.ofShared();
      MemorySegment freed = closed.allocate(8);
      closed.close();
      assertThatThrownBy(() -> endpoint.receive(freed, null))
          .isInstanceOfSatisfying(
              FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining("buffer has been freed")
          .hasMessageNotContaining(CONFINED);
      assertThatThrownBy(() -> endpoint.inject(freed, self))
          .hasMessageContaining("message has been freed")
          .hasMessageNotContaining(CONFINED);
      MemorySegment own = confined.allocate(8);
      assertThatThrownBy(() -> endpoint.receive(own, null))
          .hasMessageContainingAll("buffer is confined", CONFINED);
      assertThatThrownBy(() -> endpoint.send(own, self, null))
          .hasMessageContainingAll("message is confined", CONFINED);
    }
  }
}
