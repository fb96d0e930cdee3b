// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;

/** Messages to and from an endpoint in another process. */
class SecondProcessTest {
  private static final int MESSAGES = 1_000;

  /** Echoes until it is told to end. */
  static final class Echo {
    private Echo() {}

    public static void main(String[] arguments) throws Exception {
      try (Rig rig = new Rig(Rig.withSource(Rig.udp(), Capability.SOURCE_ERR))) {
        FabricAddress own =
            arguments.length == 0 ? rig.domain.info().source() : FabricAddress.parse(arguments[0]);
        DatagramEndpoint endpoint = rig.datagrams(rig.domain.info().withSource(own));
        System.out.println(endpoint.address());
        MemorySegment buffer = Rig.buffer(1_472);
        while (true) {
          endpoint.receive(buffer, "receive");
          Completion received = rig.nextOf("receive");
          long peer = Rig.source(received);
          if (received instanceof Completion.Failure unknown) {
            assertThat(unknown.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
            peer = rig.vector.insert(unknown.senderAddress(rig.vector.format()));
          }
          if (Rig.length(received) == 0) {
            return;
          }
          endpoint.inject(buffer.asSlice(0, Rig.length(received)), peer);
        }
      }
    }
  }

  @Test
  @Tag("AV-003")
  @Tag("AV-185")
  @Tag("AV-216")
  @DisplayName("A thousand messages go there and back, and the other side finds out who sends")
  void exchange() throws Exception {
    try (EndpointProcess peer = new EndpointProcess(Echo.class);
        Rig rig = new Rig(Rig.withSource(Rig.udp(), Capability.SOURCE_ERR))) {
      DatagramEndpoint endpoint = rig.datagrams();
      long handle = rig.vector.insert(peer.name());
      MemorySegment buffer = Rig.buffer(1_472);
      for (int i = 0; i < MESSAGES; i++) {
        String text = "message " + i;
        endpoint.receive(buffer, "receive");
        endpoint.inject(Rig.message(text), handle);
        Completion.Success answer = Rig.success(rig.next());
        assertThat(answer.source()).isEqualTo(handle);
        assertThat(Rig.text(buffer, answer.length())).isEqualTo(text);
      }
      endpoint.inject(Rig.buffer(0), handle);
      assertThat(peer.endsWell()).isTrue();
    }
  }

  @Test
  @Tag("AV-180")
  @DisplayName("A peer killed and started again on its port is reached again, by a handle anew too")
  void restart() throws Exception {
    try (Rig rig = new Rig(Rig.withSource(Rig.udp(), Capability.SOURCE_ERR))) {
      DatagramEndpoint endpoint = rig.datagrams();
      MemorySegment buffer = Rig.buffer(64);
      FabricAddress name;
      try (EndpointProcess peer = new EndpointProcess(Echo.class)) {
        name = peer.name();
        long handle = rig.vector.insert(name);
        endpoint.receive(buffer, "receive");
        endpoint.inject(Rig.message("first life"), handle);
        assertThat(Rig.success(rig.next()).source()).isEqualTo(handle);
        peer.kill();
        for (int i = 0; i < 10; i++) {
          endpoint.inject(Rig.message("nobody there"), handle);
        }
        endpoint.receive(buffer, "receive");
        assertThat(rig.next(Duration.ofMillis(50))).isNull();
        rig.vector.remove(handle);
      }
      try (EndpointProcess peer = new EndpointProcess(Echo.class, name.toString())) {
        assertThat(peer.name()).isEqualTo(name);
        long handle = rig.vector.insert(name);
        assertThat(handle).isNotEqualTo(Handles.NOT_AVAILABLE);
        endpoint.inject(Rig.message("second life"), handle);
        Completion.Success answer = Rig.success(rig.next());
        assertThat(answer.source()).isEqualTo(handle);
        assertThat(Rig.text(buffer, answer.length())).isEqualTo("second life");
      }
    }
  }
}
