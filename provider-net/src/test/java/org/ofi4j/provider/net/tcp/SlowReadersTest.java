// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;

/**
 * A peer that does not take its messages for a while. How often it stops and goes on is the system
 * property {@code ofi4j.slow.rounds}.
 */
class SlowReadersTest {
  private static final int ROUNDS = Integer.getInteger("ofi4j.slow.rounds", 2);
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  // Together far more than kernels keep for a connection.
  private static final int MESSAGES = 300;
  private static final int SIZE = 100_000;

  private static final int KEPT = (int) EarlyMessages.STRANGER / SIZE;

  private static final int QUICK_PEERS = 3;
  private static final long EXCHANGED = 200;
  private static final long MOST_HEAP = 4_000_000;

  private static final class Counting implements Party.Listener {
    private final String name;
    private long last = -1;
    private long received;
    private long acknowledged;

    Counting(String name) {
      this.name = name;
    }

    @Override
    public void received(long number, long source) {
      assertThat(number).as(name).isGreaterThan(last);
      last = number;
      received++;
    }

    @Override
    public void acknowledged(long number) {
      acknowledged++;
    }
  }

  /** The sender, whose sends to the slow peer are all under way, and peers that are quick. */
  private static final class Scene implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Rig slow;
    private final Rig sender;
    private final List<Party> quick = new ArrayList<>();
    private final List<Counting> counts = new ArrayList<>();
    private final long toSlow;
    private final long fromSender;
    private final MemorySegment memory = arena.allocate((long) MESSAGES * SIZE);
    private final MemorySegment buffer = arena.allocate(SIZE);
    private final MemorySegment[] echoes = new MemorySegment[QUICK_PEERS * Conversation.WINDOW];
    private int ended;

    Scene(Progress ofSender, Progress ofSlow) {
      slow =
          Rig.reliable(
              Rig.tcp("127.0.0.1", ofSlow),
              EarlyMessages.defaults().withPerPeer(EarlyMessages.STRANGER));
      sender = Rig.reliable(Rig.tcp("127.0.0.1", ofSender));
      toSlow = sender.insert(slow);
      fromSender = slow.insert(sender);
      for (int i = 0; i < echoes.length; i++) {
        echoes[i] = arena.allocate(Conversation.LONGEST);
        sender.endpoint().receive(echoes[i], echoes[i]);
      }
      for (int i = 0; i < QUICK_PEERS; i++) {
        Counting count = new Counting("quick peer " + i);
        Party party = new Party(Rig.tcp("127.0.0.1", Progress.MANUAL), count);
        party.talkTo(sender.name(), (long) i << 40, new Random(SEED + i));
        sender.insert(party.rig);
        counts.add(count);
        quick.add(party);
      }
    }

    void post(int round) {
      for (int i = 0; i < MESSAGES; i++) {
        long number = (long) round * MESSAGES + i;
        MemorySegment message = memory.asSlice((long) i * SIZE, SIZE);
        sender
            .endpoint()
            .send(
                new SendRequest()
                    .memory(NumberedMessage.write(message, number))
                    .destination(toSlow)
                    .context(number)
                    .completes(CompletionLevel.DELIVERED));
      }
    }

    /** Everybody but the slow peer goes on. */
    void turn() throws InterruptedException {
      Completion next = sender.next(Duration.ofMillis(1));
      for (int i = 0; next != null; i++) {
        assertThat(next).isInstanceOf(Completion.Success.class);
        if (next.context() instanceof MemorySegment echo) {
          sender.endpoint().receive(echo, echo);
        } else {
          ended++;
        }
        next = i < 64 ? sender.next(Duration.ZERO) : null;
      }
      for (Party each : quick) {
        each.turn(Duration.ZERO);
      }
    }

    /** The quick peers exchange so many messages more. */
    void exchange(long more) throws InterruptedException {
      long[] goals = counts.stream().mapToLong(count -> count.acknowledged + more).toArray();
      for (int i = 0; i < goals.length; i++) {
        while (counts.get(i).acknowledged < goals[i]) {
          turn();
        }
      }
    }

    /** The slow peer takes what is there for it. */
    void takeAll(int round) throws InterruptedException {
      for (int i = 0; i < MESSAGES; i++) {
        slow.endpoint().receive(buffer, "received");
        Completion received = slow.next(Duration.ZERO);
        while (received == null) {
          turn();
          received = slow.next(Duration.ZERO);
        }
        assertThat(Rig.success(received).source()).isEqualTo(fromSender);
        assertThat(Rig.success(received).length()).isEqualTo(SIZE);
        assertThat(NumberedMessage.read(buffer, SIZE)).isEqualTo((long) round * MESSAGES + i);
      }
    }

    @Override
    public void close() {
      quick.forEach(Party::close);
      slow.close();
      sender.close();
      arena.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"MANUAL,MANUAL", "MANUAL,AUTO", "AUTO,MANUAL", "AUTO,AUTO"})
  @DisplayName("A peer that does not read holds up itself alone, costs no memory, and goes on")
  void aPeerStopsReading(Progress ofSender, Progress ofSlow) throws Exception {
    System.out.println("seed of slow readers: " + SEED);
    try (Scene scene = new Scene(ofSender, ofSlow)) {
      scene.exchange(EXCHANGED);
      long heap = Measured.heap();
      for (int round = 0; round < ROUNDS; round++) {
        scene.post(round);
        scene.exchange(EXCHANGED);
        // Those that the peer's endpoint keeps, and no more of them.
        assertThat(scene.ended - round * MESSAGES).isLessThanOrEqualTo(KEPT);
        assertThat(Measured.heap() - heap).as("bytes while it stands").isLessThan(MOST_HEAP);
        scene.takeAll(round);
        while (scene.ended < (round + 1) * MESSAGES) {
          scene.turn();
          scene.slow.move(Duration.ZERO);
        }
      }
      long heapAfter = Measured.heap();
      System.out.printf(
          "%s to %s: %,d rounds, %,d messages held up, %,d exchanged meanwhile;"
              + " heap %,d to %,d bytes%n",
          ofSender,
          ofSlow,
          ROUNDS,
          scene.ended,
          scene.counts.stream().mapToLong(count -> count.acknowledged).sum(),
          heap,
          heapAfter);
      assertThat(heapAfter - heap).as("bytes more than before").isLessThan(MOST_HEAP);
    }
  }
}
