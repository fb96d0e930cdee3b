// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Hints;

/** Opening and closing leaves nothing behind. */
class ChurnTest {
  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A thousand endpoints, opened, used, waited for and closed, leave nothing behind")
  void endpoints(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint stays = rig.datagrams();
      stays.receive(Rig.buffer(8), "stays");
      rig.next(Duration.ofMillis(1));
      use(rig, 100);
      long descriptors = Measured.descriptors();
      long memory = Measured.heap();
      use(rig, 1_000);
      assertThat(Measured.descriptors()).isLessThanOrEqualTo(descriptors + 2);
      assertThat(Measured.heap() - memory).as("bytes more than before").isLessThan(2_000_000);
      assertThat(rig.vector.size()).isZero();
    }
  }

  private static void use(Rig rig, int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      try (DatagramEndpoint endpoint = rig.domain.openDatagramEndpoint(rig.vector, rig.queue)) {
        long self = rig.insert(endpoint);
        endpoint.receive(Rig.buffer(8), i);
        endpoint.inject(i % 2 == 0 ? Rig.message("x") : Rig.buffer(0), self);
        assertThat(rig.next().context()).isEqualTo(i);
        endpoint.receive(Rig.buffer(8), "dropped");
        rig.vector.remove(self);
      }
    }
  }

  @Test
  @DisplayName("Two hundred fabrics with all that belongs to them leave nothing behind")
  void fabrics() throws Exception {
    whole(20);
    long descriptors = Measured.descriptors();
    whole(200);
    assertThat(Measured.descriptors()).isLessThanOrEqualTo(descriptors + 2);
  }

  private static void whole(int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      Hints kind = Rig.udpKinds().get(i % 2);
      try (Rig rig = new Rig(kind)) {
        DatagramEndpoint one = rig.datagrams();
        one.receive(Rig.buffer(8), "receive");
        one.inject(Rig.message("x"), rig.insert(one));
        rig.next();
      }
    }
  }
}
