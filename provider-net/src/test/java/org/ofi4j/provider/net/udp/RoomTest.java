// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.CounterFlag;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.net.FakeChannel;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.WaitingCall;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.SenderCache;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.endpoint.Staging;

/** Completion queues that have been full: what had to wait for room goes on when there is some. */
class RoomTest {
  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);
  private static final CompletionQueueOptions ONE = CompletionQueueOptions.defaults().withSize(1);

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("Room in one queue wakes the reader of another that moves the same endpoint's data")
  void otherQueue(Progress progress) throws Exception {
    try (Rig rig = new Rig(Rig.udp().withProgress(progress));
        CompletionQueue sends = rig.domain.openCompletionQueue(ONE);
        DatagramEndpoint endpoint =
            rig.domain.openDatagramEndpoint(
                EndpointOptions.of(rig.vector, rig.queue).withTransmitQueue(sends));
        DatagramSocket sink =
            DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0)).socket()) {
      long peer =
          rig.vector.insert(
              FabricAddress.parse("fi_sockaddr_in://127.0.0.1:" + sink.getLocalPort()));
      WaitingCall<Completion> reader = new WaitingCall<>(() -> rig.queue.read(WITHOUT_END));
      endpoint.send(Rig.message("0"), peer, null);
      sink.receive(new DatagramPacket(new byte[8], 8));
      for (int i = 1; i <= 5; i++) {
        MemorySegment message = Rig.message(String.valueOf(i));
        endpoint.send(message, peer, null);
        reader.awaitSleep();
        assertThat(sends.read()).isNotNull();
        DatagramPacket packet = new DatagramPacket(new byte[8], 8);
        sink.receive(packet);
        assertThat(packet.getData()[0]).isEqualTo((byte) ('0' + i));
      }
      endpoint.receive(Rig.buffer(8), null);
      endpoint.inject(Rig.message("end"), rig.insert(endpoint));
      // The injected message is behind the completion of the last send.
      assertThat(sends.read()).isNotNull();
      assertThat(reader.get()).isNotNull();
    }
  }

  @Test
  @DisplayName("A withdrawn receive that found no room is reported before the mover sleeps again")
  void withdrawn() {
    try (Rig rig = new Rig(Rig.udp(), VectorOptions.table(), ONE)) {
      CompletionQueue queue = rig.queue;
      DatagramReceiver receiver =
          new DatagramReceiver(
              new FakeChannel(),
              new ReceiveOutcomes(Completions.to(queue, false), null, Sources.NONE),
              new SenderCache(rig.vector.format(), false, 0),
              new Staging.Pool(),
              4,
              () -> {});
      Operation withdrawn = receiver.take(false, Handles.UNSPECIFIED, false, 0, "withdrawn");
      withdrawn.context = "withdrawn";
      receiver.post(withdrawn);
      Operation first = new Operation() {};
      first.begin(CounterFlag.RECEIVE, false);
      first.context = "first";
      Completions.to(queue, false).report(first);
      assertThat(receiver.cancel("withdrawn")).isTrue();
      assertThat(queue.read()).isNotNull();
      // No progress: that call met a thread that was posting, and left.
      assertThat(receiver.settle()).as("no receive is posted").isFalse();
      assertThat(queue.readError())
          .satisfies(failure -> {
            assertThat(failure.context()).isEqualTo("withdrawn");
            assertThat(failure.errno()).isEqualTo(Errno.ECANCELED);
          });
      receiver.close();
    }
  }
}
