// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.WaitingCall;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Messages that are posted with the hint that others follow. */
class MoreTest {
  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);
  private static final Duration A_MOMENT = Duration.ofMillis(100);

  /** Two endpoints that are connected. */
  private static final class Pair implements AutoCloseable {
    final Rig from;
    final Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
    final long peer;

    Pair(Progress progress) throws InterruptedException {
      from = Rig.reliable(Rig.tcp("127.0.0.1", progress));
      peer = from.insert(to);
      to.endpoint().receive(Rig.buffer(16), null);
      from.endpoint().send(Rig.message("hello"), peer, null);
      assertThat(to.next(from)).isInstanceOf(Completion.Success.class);
      assertThat(from.next(to)).isInstanceOf(Completion.Success.class);
    }

    void send(String text, boolean more) {
      from.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message(text))
                  .destination(peer)
                  .context(text)
                  .more(more));
    }

    /** The next message, while the sender makes no progress. */
    @Nullable String received(Duration timeout) throws InterruptedException {
      MemorySegment buffer = Rig.buffer(16);
      to.endpoint().receive(buffer, buffer);
      Completion completion = to.next(timeout);
      if (completion == null) {
        assertThat(to.endpoint().cancel(buffer)).isTrue();
        assertThat(to.next()).isInstanceOf(Completion.Failure.class);
        return null;
      }
      assertThat(completion).isInstanceOf(Completion.Success.class);
      return Rig.text(buffer, ((Completion.Success) completion).length());
    }

    @Override
    public void close() {
      from.close();
      to.close();
    }
  }

  @Test
  @DisplayName("They wait for the last one, which takes them along in the order of posting")
  void theLastOneTakesThemAlong() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      pair.send("one", true);
      pair.send("two", true);
      assertThat(pair.received(A_MOMENT)).isNull();
      pair.send("three", false);
      for (String text : new String[] {"one", "two", "three"}) {
        assertThat(pair.received(Rig.PATIENCE)).isEqualTo(text);
        Completion sent = pair.from.next();
        assertThat(sent).isInstanceOf(Completion.Success.class);
        assertThat(((Completion.Success) sent).context()).isEqualTo(text);
      }
    }
  }

  @Test
  @DisplayName("If the last one never comes, progress sends them; memory that was injected is free")
  void progressSendsThemToo() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      MemorySegment message = Rig.message("one");
      pair.from
          .endpoint()
          .send(new SendRequest().memory(message).destination(pair.peer).injected(true).more(true));
      message.fill((byte) 'x');
      assertThat(pair.received(A_MOMENT)).isNull();
      pair.from.move(Duration.ZERO);
      assertThat(pair.received(Rig.PATIENCE)).isEqualTo("one");
    }
  }

  @Test
  @DisplayName("A reader that sleeps is woken to send them")
  void sleepersSendThem() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      WaitingCall<?> sleeper =
          new WaitingCall<>(() -> {
            pair.from.move(WITHOUT_END);
            return null;
          });
      sleeper.awaitSleep();
      pair.send("one", true);
      assertThat(pair.received(Rig.PATIENCE)).isEqualTo("one");
      sleeper.get();
    }
  }

  @Test
  @DisplayName("So it is whatever the reader does while they are posted")
  void sleepersMissNone() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      int rounds = 1_000;
      int inRound = 3;
      Completed completed = new Completed();
      Thread sleeper =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  while (completed.count < rounds * inRound) {
                    pair.from.queue.poll(completed, 16, Rig.PATIENCE.multipliedBy(2));
                  }
                } catch (InterruptedException ended) {
                  Thread.currentThread().interrupt();
                }
              });
      for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < inRound; j++) {
          pair.send("message " + j, true);
        }
        for (int j = 0; j < inRound; j++) {
          assertThat(pair.received(Rig.PATIENCE)).as("round %s", i).isEqualTo("message " + j);
        }
      }
      sleeper.join();
    }
  }

  @Test
  @DisplayName("They do not pile up")
  void manyAreSent() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      for (int i = 0; i < TcpLimits.HELD; i++) {
        pair.send("message " + i, true);
      }
      for (int i = 0; i < TcpLimits.HELD; i++) {
        assertThat(pair.received(Rig.PATIENCE)).isEqualTo("message " + i);
      }
    }
  }

  @Test
  @DisplayName("Where a thread of the domain makes progress they go out at once")
  void automaticProgress() throws Exception {
    try (Pair pair = new Pair(Progress.AUTO)) {
      pair.send("one", true);
      assertThat(pair.received(Rig.PATIENCE)).isEqualTo("one");
    }
  }

  @Test
  @DisplayName("Closing the endpoint sends them")
  void closing() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      pair.send("one", true);
      pair.from.endpoint().close();
      assertThat(pair.received(Rig.PATIENCE)).isEqualTo("one");
    }
  }
}
