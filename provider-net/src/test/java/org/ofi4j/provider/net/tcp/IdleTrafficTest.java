// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Access;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransportSecurity;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/**
 * Two endpoints that talk in bursts, with pauses of about as long as their connection stays, so
 * that closing it crosses what both send. How many messages, reads and writes there are at least is
 * the system property {@code ofi4j.idle.messages}.
 */
class IdleTrafficTest {
  private static final int MESSAGES = Integer.getInteger("ofi4j.idle.messages", 1_500);
  private static final int IDLE = 2;
  private static final int LARGEST = 1_500_000;
  private static final int WINDOW = 8;
  private static final int SLOTS = 1_024;

  private record Posted(boolean tagged, long number) {}

  private record Wrote(int slot, long value) {}

  private record Read(MemorySegment into, int slot) {}

  private static final class Side implements AutoCloseable {
    final Rig rig;
    final Random random;
    final MemorySegment memory = Rig.buffer(2 * SLOTS * Long.BYTES);
    final MemoryRegion region;
    private final Map<Posted, MemorySegment> receives = new HashMap<>();
    // By whether they are tagged.
    private final long[] sent = new long[2];
    private final long[] posted = new long[2];
    private final long[] came = new long[2];
    private int outstanding;
    private int accesses;
    private long toOther;
    private @Nullable Side other;

    Side(Progress progress, long seed, @Nullable TransportSecurity security) {
      rig = Rig.idle(progress, IDLE, security);
      random = new Random(seed);
      region = rig.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE);
      for (int i = 0; i < SLOTS; i++) {
        // What is read stands behind what is written.
        memory.setAtIndex(ValueLayout.JAVA_LONG, SLOTS + i, i);
      }
      for (int i = 0; i < WINDOW; i++) {
        receive(false, Rig.buffer(LARGEST));
        receive(true, Rig.buffer(LARGEST));
      }
    }

    void meet(Side peer) {
      other = peer;
      toOther = rig.vector.insert(peer.rig.endpoint().address());
    }

    private Side other() {
      return Objects.requireNonNull(other);
    }

    private void receive(boolean tagged, MemorySegment buffer) {
      Posted next = new Posted(tagged, posted[tagged ? 1 : 0]++);
      receives.put(next, buffer);
      if (tagged) {
        rig.endpoint().receiveTagged(buffer, TagPattern.exactly(7), next);
      } else {
        rig.endpoint().receive(buffer, next);
      }
    }

    void post() {
      outstanding++;
      int slot = accesses % SLOTS;
      switch (random.nextInt(8)) {
        case 0 -> {
          accesses++;
          long value = random.nextLong();
          MemorySegment from = Rig.buffer(Long.BYTES);
          from.set(ValueLayout.JAVA_LONG, 0, value);
          long place = (long) slot * Long.BYTES;
          rig.endpoint()
              .write(
                  new WriteRequest()
                      .memory(from)
                      .destination(toOther)
                      .place(other().region.place().from(place))
                      .context(new Wrote(slot, value))
                      .completes(CompletionLevel.DELIVERED));
        }
        case 1 -> {
          accesses++;
          MemorySegment into = Rig.buffer(Long.BYTES);
          long place = (long) (SLOTS + slot) * Long.BYTES;
          rig.endpoint()
              .read(into, toOther, other().region.place().from(place), new Read(into, slot));
        }
        default -> send(random.nextBoolean());
      }
    }

    private void send(boolean tagged) {
      long number = sent[tagged ? 1 : 0]++;
      int most =
          switch (random.nextInt(40)) {
            case 0 -> LARGEST;
            case 1, 2, 3 -> 100_000;
            default -> 1_000;
          };
      int length = NumberedMessage.SHORTEST + random.nextInt(most - NumberedMessage.SHORTEST);
      MemorySegment message = NumberedMessage.write(Rig.buffer(length), number);
      CompletionLevel level =
          random.nextInt(3) == 0 ? CompletionLevel.DELIVERED : CompletionLevel.DEFAULT;
      if (tagged) {
        rig.endpoint()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(message)
                    .destination(toOther)
                    .tag(7)
                    .context("sent")
                    .completes(level));
      } else {
        rig.endpoint()
            .send(
                new SendRequest()
                    .memory(message)
                    .destination(toOther)
                    .context("sent")
                    .completes(level));
      }
    }

    void take() throws InterruptedException {
      rig.move(Duration.ZERO);
      for (Completion each = rig.poll(); each != null; each = rig.poll()) {
        assertThat(each).isInstanceOf(Completion.Success.class);
        Completion.Success ended = (Completion.Success) each;
        Object context = Objects.requireNonNull(ended.context());
        if (context instanceof Posted receive) {
          MemorySegment buffer = Objects.requireNonNull(receives.remove(receive));
          // Receives take messages in the order of both.
          assertThat(NumberedMessage.read(buffer, ended.length())).isEqualTo(receive.number);
          assertThat(ended.source()).isEqualTo(toOther);
          came[receive.tagged ? 1 : 0]++;
          receive(receive.tagged, buffer);
        } else {
          outstanding--;
        }
        if (context instanceof Wrote wrote) {
          assertThat(other().memory.getAtIndex(ValueLayout.JAVA_LONG, wrote.slot))
              .isEqualTo(wrote.value);
        } else if (context instanceof Read read) {
          assertThat(read.into.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(read.slot);
        }
      }
    }

    boolean isDone() {
      return outstanding == 0 && came[0] == other().sent[0] && came[1] == other().sent[1];
    }

    @Override
    public void close() {
      rig.endpoint().close();
      region.close();
      rig.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"MANUAL,false", "AUTO,false", "MANUAL,true", "AUTO,true"})
  @DisplayName("What crosses the closing of an idle connection arrives once, in order")
  void crossing(Progress progress, boolean secure) throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("idle connections: -Dofi4j.seed=" + seed);
    Random random = new Random(seed);
    try (RejectedLines log = new RejectedLines();
        Side left = new Side(progress, seed + 1, secure ? SecureConnectionsTest.of("one") : null);
        Side right =
            new Side(progress, seed + 2, secure ? SecureConnectionsTest.of("two") : null)) {
      left.meet(right);
      right.meet(left);
      List<Side> sides = List.of(left, right);
      int posted = 0;
      while (posted < MESSAGES) {
        for (Side side : sides) {
          for (int j = random.nextInt(-2, 4); j > 0 && side.outstanding < WINDOW; j--) {
            side.post();
            posted++;
          }
        }
        // Up to three times as long as a connection stays, as a rule about as long.
        long pause = random.nextLong(random.nextLong(1, 3_000_000L * IDLE));
        long start = System.nanoTime();
        do {
          // One of them, so that the other may post before it has seen what came.
          (random.nextBoolean() ? left : right).take();
          LockSupport.parkNanos(random.nextLong(100_000));
        } while (System.nanoTime() - start < pause);
      }
      while (!left.isDone() || !right.isDone()) {
        left.take();
        right.take();
      }
      List<Object> events = new ArrayList<>();
      for (Side side : sides) {
        for (var event = side.rig.events().read();
            event != null;
            event = side.rig.events().read()) {
          events.add(event);
        }
      }
      assertThat(events).isEmpty();
      assertThat(log.await(0)).isEmpty();
      long closed = TcpTable.closed(left.rig.port(), right.rig.port());
      System.out.printf("%,d messages, reads and writes over %,d connections%n", posted, closed);
      assertThat(closed).isGreaterThan(10);
      TcpTable.awaitClosed(left.rig, right.rig);
    }
  }
}
