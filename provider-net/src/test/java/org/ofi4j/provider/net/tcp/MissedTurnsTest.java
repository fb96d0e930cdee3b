// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.CounterFlag;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.ScalableTransport;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.WaitingCall;

/** A thread that is to make progress, while another one has the endpoint. */
class MissedTurnsTest {
  private static final CompletionQueueOptions ONE = CompletionQueueOptions.defaults().withSize(1);

  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);
  private static final Duration LONG = Duration.ofHours(1);
  private static final int SENDS = 3;

  @Test
  @DisplayName("It does not go to sleep while completions wait in the endpoint that have room now")
  void completions() throws Exception {
    try (ScalableSide from = patient(Progress.MANUAL);
        ScalableSide to = patient(Progress.AUTO);
        CompletionQueue queue = from.domain.openCompletionQueue(ONE)) {
      long peer = from.vector.insert(to.name());
      ScalableTransport whole = ((KitDomain) from.domain).transport().openScalable(opening(from));
      whole.begin();
      Transport context = whole.openContext(0, opening(from, Completions.to(queue, false)));
      context.begin();
      Transmitter busy = Objects.requireNonNull(context.transmitter());
      // No thread sleeps before, so that no earlier wake-up is left.
      send(busy, "hello", peer, null);
      while (queue.read() == null) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < SENDS; i++) {
        send(busy, "in the queue, and behind it", peer, i);
      }

      List<Object> sent = new ArrayList<>();
      WaitingCall<?> reader;
      busy.lock();
      try {
        reader =
            new WaitingCall<>(() -> {
              for (int i = 0; i < SENDS; i++) {
                sent.add(queue.read(WITHOUT_END).context());
              }
              return null;
            });
        // It has missed its turn, and waits to say in a selector what it sleeps for.
        reader.awaitSleep();
      } finally {
        busy.unlock();
      }
      reader.get();
      assertThat(sent).containsExactly(0, 1, 2);
      context.close();
      whole.close();
    }
  }

  private static EndpointOpening opening(ScalableSide side) {
    return opening(side, null);
  }

  private static EndpointOpening opening(ScalableSide side, @Nullable Completions sends) {
    return new EndpointOpening(
        side.endpoint,
        (KitDomain) side.domain,
        ((KitDomain) side.domain).regions(),
        side.endpoint.info(),
        sends,
        null,
        Peers.of(side.vector),
        null,
        ConnectionOptions.defaults().withConnectTimeout(LONG).withPeerTimeout(LONG),
        0,
        null);
  }

  private static void send(
      Transmitter transmitter, String text, long peer, @Nullable Object context) {
    transmitter.lock();
    try {
      Operation send = Objects.requireNonNull(transmitter.take(CounterFlag.SEND, false, peer));
      send.memory.set(Rig.message(text));
      send.peer = peer;
      send.context = context;
      transmitter.post(send);
    } finally {
      transmitter.unlock();
    }
  }

  /** One that is not woken by the time of connecting, nor by that of a sign of life. */
  private static ScalableSide patient(Progress progress) {
    return new ScalableSide(
        Rig.tcp("127.0.0.1", progress),
        1,
        1,
        ConnectionOptions.defaults().withConnectTimeout(LONG).withPeerTimeout(LONG));
  }
}
