// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.EndpointStatistics.Operations;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.QueueStatistics;
import org.ofi4j.VectorOptions;

/** What datagram endpoints and completion queues count. */
class DatagramStatisticsTest {
  private static final Operations NOTHING = Operations.builder().build();

  private static Operations operations(long succeeded, long failed, long bytes) {
    return Operations.builder().succeeded(succeeded).failed(failed).bytes(bytes).build();
  }

  static List<Hints> kinds() {
    return Rig.udpKinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Messages and bytes are counted at both ends, before their completions can be read")
  void traffic(Hints hints) throws Exception {
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint sender = rig.datagrams();
      DatagramEndpoint receiver = rig.datagrams();
      long peer = rig.insert(receiver);
      assertThat(sender.statistics().sends()).isEqualTo(NOTHING);
      for (int i = 0; i < 4; i++) {
        receiver.receive(Rig.buffer(64), "received");
      }
      assertThat(receiver.statistics().outstandingReceives()).isEqualTo(4);

      sender.send(Rig.message("hello"), peer, "sent");
      rig.nextOf("received");
      assertThat(receiver.statistics().receives()).isEqualTo(operations(1, 0, 5));
      sender.send(Rig.message(""), peer, "sent");
      rig.nextOf("received");
      sender.inject(Rig.message("in silence"), peer);
      rig.nextOf("received");

      assertThat(sender.statistics().sends()).isEqualTo(operations(3, 0, 15));
      assertThat(sender.statistics().outstandingTransmits()).isZero();
      assertThat(sender.statistics().receives()).isEqualTo(NOTHING);
      assertThat(sender.statistics().connections()).isEqualTo(ConnectionStatistics.none());
      assertThat(receiver.statistics().receives()).isEqualTo(operations(3, 0, 15));
      assertThat(receiver.statistics().outstandingReceives()).isEqualTo(1);
      assertThat(receiver.statistics().sends()).isEqualTo(NOTHING);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("What fails is counted apart, and has moved no bytes")
  void failures(Hints hints) throws Exception {
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      endpoint.receive(Rig.buffer(2), "short");
      endpoint.receive(Rig.buffer(2), "withdrawn");

      endpoint.send(Rig.message("hello"), self, "sent");
      assertThat(rig.nextOf("short")).isInstanceOf(Completion.Failure.class);
      assertThat(endpoint.cancel("withdrawn")).isTrue();
      assertThat(rig.nextOf("withdrawn")).isInstanceOf(Completion.Failure.class);

      assertThat(endpoint.statistics().receives()).isEqualTo(operations(0, 2, 0));
      assertThat(endpoint.statistics().outstandingReceives()).isZero();
      assertThat(endpoint.statistics().sends()).isEqualTo(operations(1, 0, 5));
    }
  }

  @Test
  @DisplayName("What waits for room in the completion queue is outstanding")
  void fullQueue() throws Exception {
    try (Rig rig =
        new Rig(
            Rig.udp(),
            VectorOptions.table(),
            CompletionQueueOptions.of(CompletionFormat.TAGGED).withSize(1))) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      for (int i = 0; i < 3; i++) {
        endpoint.send(Rig.message("hello"), self, "sent");
      }
      assertThat(endpoint.statistics().sends()).isEqualTo(operations(1, 0, 5));
      assertThat(endpoint.statistics().outstandingTransmits()).isEqualTo(2);
      assertThat(rig.queue.statistics())
          .isEqualTo(QueueStatistics.builder().size(1).waiting(1).reported(1).build());
      for (int i = 0; i < 3; i++) {
        rig.next();
      }
      assertThat(endpoint.statistics().sends()).isEqualTo(operations(3, 0, 15));
      assertThat(endpoint.statistics().outstandingTransmits()).isZero();
      assertThat(rig.queue.statistics())
          .isEqualTo(QueueStatistics.builder().size(1).reported(3).build());
    }
  }

  @Test
  @DisplayName("A closed endpoint or queue has none")
  void closed() {
    Rig rig = new Rig(Rig.udp());
    DatagramEndpoint endpoint = rig.datagrams();
    rig.close();
    for (Runnable call : List.<Runnable>of(endpoint::statistics, rig.queue::statistics)) {
      assertThatThrownBy(call::run)
          .isInstanceOfSatisfying(
              FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
  }
}
