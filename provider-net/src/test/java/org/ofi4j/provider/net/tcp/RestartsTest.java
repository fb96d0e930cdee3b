// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.FabricAddress;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.FreePort;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;

/**
 * A peer that is killed with {@code SIGKILL} and started again on its port while messages go both
 * ways, and a third endpoint whose traffic goes on. How often is the system property {@code
 * ofi4j.restarts}, for each kind of progress.
 */
class RestartsTest {
  private static final int RESTARTS = Integer.getInteger("ofi4j.restarts", 4);
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final long MOST_HEAP = 4_000_000;

  // Who talks: the upper bits of a message's number say from whom to whom it goes.
  private static final int MORTAL = 1;
  private static final int SURVIVOR = 2;
  private static final int BYSTANDER = 3;

  /** Number 0 of those that one sends to another in a life. */
  private static long number(int from, int to, int life) {
    return ((long) from << 60) | ((long) to << 56) | ((long) life << 32);
  }

  private static int from(long number) {
    return (int) (number >>> 60);
  }

  private static int to(long number) {
    return (int) (number >>> 56) & 0xF;
  }

  private static int life(long number) {
    return (int) (number >>> 32) & 0xFF_FFFF;
  }

  /** Messages of one sender to one receiver that lives all the time. */
  private static final class Flow {
    // What is known of one side alone so far.
    private final Set<Long> came = new HashSet<>();
    private final Set<Long> acknowledged = new HashSet<>();
    private long last = -1;
    private long count;

    void received(long number) {
      // Once, and not after one that was sent later.
      assertThat(number).isGreaterThan(last);
      last = number;
      count++;
      if (!acknowledged.remove(number)) {
        came.add(number);
      }
    }

    void acknowledged(long number) {
      if (!came.remove(number)) {
        acknowledged.add(number);
      }
    }

    /** Whether something was acknowledged that has not come. */
    boolean isMissing() {
      return !acknowledged.isEmpty();
    }

    /** What came so far will not be acknowledged any more: its sender is dead. */
    void settle() {
      came.clear();
    }
  }

  /** Messages to a receiver that is killed again and again. */
  private static final class MortalFlow {
    private final TreeSet<Long> acknowledged = new TreeSet<>();
    private List<Long> before = List.of();
    private long last = -1;
    private long count;

    /** A life is over, and this has reached it. */
    void ended(List<Long> received, boolean whole) {
      for (long number : received) {
        assertThat(number).isGreaterThan(last);
        last = number;
        count++;
      }
      // Acknowledgements may be known later than the life is over that has sent them.
      assertNothingLost(before, before.isEmpty() ? -1 : before.getLast());
      if (!received.isEmpty()) {
        assertNothingLost(received, whole ? Long.MAX_VALUE : received.getLast());
        acknowledged.headSet(received.getFirst()).clear();
        before = received;
      }
    }

    /** Who has received a message has received all those before it that it has acknowledged. */
    private void assertNothingLost(List<Long> received, long until) {
      if (!received.isEmpty()) {
        assertThat(new HashSet<>(received))
            .containsAll(acknowledged.subSet(received.getFirst(), true, until, true));
      }
    }
  }

  private static final class Talk implements AutoCloseable {
    private final Random random;
    private final int port = FreePort.find();
    private final Party survivor;
    private final Party bystander;
    private final long mortalHandle;
    private final long bystanderHandle;
    private final Flow fromMortal = new Flow();
    private final MortalFlow toMortal = new MortalFlow();
    private final Flow fromBystander = new Flow();
    private final Flow toBystander = new Flow();

    Talk(Progress progress, Random random) throws IOException {
      this.random = random;
      survivor =
          new Party(
              Rig.tcp("127.0.0.1", "0", progress),
              new Party.Listener() {
                @Override
                public void received(long number, long source) {
                  assertThat(to(number)).isEqualTo(SURVIVOR);
                  if (source == mortalHandle) {
                    assertThat(from(number)).isEqualTo(MORTAL);
                    fromMortal.received(number);
                  } else {
                    assertThat(source).isEqualTo(bystanderHandle);
                    assertThat(from(number)).isEqualTo(BYSTANDER);
                    fromBystander.received(number);
                  }
                }

                @Override
                public void acknowledged(long number) {
                  if (to(number) == MORTAL) {
                    toMortal.acknowledged.add(number);
                  } else {
                    toBystander.acknowledged(number);
                  }
                }
              });
      bystander =
          new Party(
              Rig.tcp("127.0.0.1", "0", Progress.AUTO),
              new Party.Listener() {
                @Override
                public void received(long number, long source) {
                  assertThat(to(number)).isEqualTo(BYSTANDER);
                  toBystander.received(number);
                }

                @Override
                public void acknowledged(long number) {
                  fromBystander.acknowledged(number);
                }
              });
      FabricAddress address = FabricAddress.of(new InetSocketAddress("127.0.0.1", port));
      mortalHandle = survivor.talkTo(address, number(SURVIVOR, MORTAL, 0), random);
      bystanderHandle =
          survivor.talkTo(bystander.rig.name(), number(SURVIVOR, BYSTANDER, 0), random);
      bystander.talkTo(survivor.rig.name(), number(BYSTANDER, SURVIVOR, 0), random);
    }

    void turn() throws InterruptedException {
      // What is under way stays as much, and the peer's start is left some of the processor.
      LockSupport.parkNanos(1_000_000);
      survivor.turn(Duration.ofMillis(1));
      bystander.turn(Duration.ZERO);
    }

    void turnUntil(BooleanSupplier reached) throws InterruptedException {
      while (!reached.getAsBoolean()) {
        turn();
      }
    }

    void turnFor(int milliseconds) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
      turnUntil(() -> System.nanoTime() - end >= 0);
    }

    /** One life of the peer, from its start to its violent end. */
    void life(int life) throws Exception {
      try (MortalPeer peer =
          new MortalPeer(port, survivor.rig.name(), number(MORTAL, SURVIVOR, life))) {
        switch (random.nextInt(10)) {
          case 0 -> turnFor(random.nextInt(500)); // perhaps before its endpoint is there
          case 1 -> turnUntil(peer::isBorn);
          default -> {
            turnUntil(() -> peer.lastReceived() >= 0);
            turnFor(random.nextInt(60));
          }
        }
        peer.kill();
        judge(peer, false);
      }
    }

    /** The last life gets everything that is under way. */
    void lastLife(int life) throws Exception {
      try (MortalPeer peer =
          new MortalPeer(port, survivor.rig.name(), number(MORTAL, SURVIVOR, life))) {
        turnUntil(() -> peer.lastReceived() >= 0);
        survivor.fallSilent();
        bystander.fallSilent();
        turnUntil(() -> survivor.isIdle() && bystander.isIdle());
        long last = toMortal.acknowledged.last();
        turnUntil(() -> peer.lastReceived() == last);
        peer.kill();
        judge(peer, true);
      }
      assertThat(toBystander.isMissing()).isFalse();
      assertThat(fromBystander.isMissing()).isFalse();
    }

    private void judge(MortalPeer peer, boolean lived) throws InterruptedException {
      // Who receives these lives: what was acknowledged has come, or comes now.
      peer.acknowledged().forEach(fromMortal::acknowledged);
      turnUntil(() -> !fromMortal.isMissing());
      fromMortal.settle();
      toMortal.ended(peer.received(), lived);
    }

    @Override
    public void close() {
      survivor.close();
      bystander.close();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-180")
  @DisplayName(
      "A peer is killed and restarted under traffic: what it acknowledged came, nothing comes"
          + " twice")
  void restarts(Progress progress) throws Exception {
    System.out.println("seed of restarts: " + SEED);
    try (Talk talk = new Talk(progress, new Random(SEED))) {
      int warm = RESTARTS / 4;
      for (int life = 0; life < warm; life++) {
        talk.life(life);
      }
      long heap = Measured.heap();
      long descriptors = Measured.descriptors();
      for (int life = warm; life < RESTARTS; life++) {
        talk.life(life);
      }
      long heapAfter = Measured.heap();
      long descriptorsAfter = Measured.descriptors();
      talk.lastLife(RESTARTS);
      System.out.printf(
          "%s: %,d restarts; %,d messages to the peer, %,d from it, %,d to and from the bystander;"
              + " heap %,d to %,d bytes, descriptors %d to %d%n",
          progress,
          RESTARTS,
          talk.toMortal.count,
          talk.fromMortal.count,
          talk.toBystander.count + talk.fromBystander.count,
          heap,
          heapAfter,
          descriptors,
          descriptorsAfter);
      assertThat(heapAfter - heap).as("bytes more than before").isLessThan(MOST_HEAP);
      assertThat(descriptorsAfter).isLessThanOrEqualTo(descriptors + 4);
      assertThat(talk.toMortal.count).isPositive();
      assertThat(talk.fromMortal.count).isPositive();
      assertThat(life(talk.fromMortal.last)).isEqualTo(RESTARTS);
    }
  }
}
