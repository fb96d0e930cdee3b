// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.Progress;
import org.ofi4j.TransmitContext;
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
        CompletionQueue queue = from.domain.openCompletionQueue(ONE);
        TransmitContext context = from.endpoint.openTransmitContext(0, ContextOptions.of(queue))) {
      long peer = from.vector.insert(to.name());
      // Nobody sleeps before, so that no earlier wake-up is left.
      context.send(Rig.message("hello"), peer, null);
      while (queue.read() == null) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < SENDS; i++) {
        context.send(Rig.message("in the queue, and behind it"), peer, i);
      }

      TcpTraffic busy = ((RdmScalableEndpoint) from.endpoint).traffic();
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
