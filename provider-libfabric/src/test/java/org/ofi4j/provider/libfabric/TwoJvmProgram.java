// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.ofi4j.Completion;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;

/** The JVM that lives on, and those that it speaks to. */
final class TwoJvmProgram {
  private static final int[] SIZES = {0, 1, 8, 64, 4_096, 65_536, EchoPeer.LARGEST};

  /** JVMs that are started ahead, since that takes most of the time. */
  private static final int AHEAD = 3;

  /** After so many lives all that is kept for good is there. */
  private static final int SETTLED = 5;

  private static final long MOST_KILOBYTES = 48 << 10;

  private final String provider;

  private TwoJvmProgram(String provider) {
    this.provider = provider;
  }

  /** Lives of peers that are killed, then providers. */
  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    int lives = Integer.parseInt(arguments[0]);
    for (int i = 1; i < arguments.length; i++) {
      TwoJvmProgram program = new TwoJvmProgram(arguments[i]);
      scenarios.add(arguments[i] + ": messages of all sizes there and back", program::allSizes);
    }
    TwoJvmProgram first = new TwoJvmProgram(arguments[1]);
    scenarios.add(
        arguments[1] + ": peers that are killed, " + lives + " times", () -> first.killed(lives));
    scenarios.add(arguments[1] + ": more peers than the fabric takes at a time", first::churn);
    scenarios.runAndExit();
  }

  private void allSizes() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        EchoPeer peer = new EchoPeer(rig, 4 * SIZES.length)) {
      ReliableEndpoint own = rig.endpoint();
      long to = rig.vector.insert(peer.meet(own));
      int seed = 0;
      for (int size : SIZES) {
        for (boolean heap : new boolean[] {true, false}) {
          exchange(rig, own, to, allocated(size, heap), allocated(size, !heap), seed++);
          exchangeTagged(rig, own, to, allocated(size, heap), allocated(size, !heap), seed++);
        }
      }
      peer.assertEndsWell();
    }
  }

  private static MemorySegment allocated(int size, boolean heap) {
    return heap ? MemorySegment.ofArray(new byte[size]) : memory(size);
  }

  private static void exchange(
      Rig rig, ReliableEndpoint own, long to, MemorySegment sent, MemorySegment into, int seed)
      throws Exception {
    own.receive(into, "answer");
    own.send(pattern(sent, seed), to, "sent");
    Completion.Success answer = rig.success("answer");
    assertThat(answer.length()).isEqualTo(sent.byteSize());
    assertPattern(into, answer.length(), EchoPeer.ANSWER + seed);
    rig.success("sent");
  }

  private static void exchangeTagged(
      Rig rig, ReliableEndpoint own, long to, MemorySegment sent, MemorySegment into, int seed)
      throws Exception {
    long tag = 0x1234_5678_0000_0000L + seed;
    own.receiveTagged(into, TagPattern.exactly(tag + 1), "answer");
    own.sendTagged(pattern(sent, seed), to, tag, "sent");
    Completion.Success answer = rig.success("answer");
    assertThat(answer.tag()).isEqualTo(tag + 1);
    assertThat(answer.length()).isEqualTo(sent.byteSize());
    assertPattern(into, answer.length(), EchoPeer.ANSWER + seed);
    rig.success("sent");
  }

  /** Each is killed with a message under way, and its address is never seen again. */
  private void killed(int lives) throws Exception {
    Deque<EchoPeer> peers = new ArrayDeque<>();
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint own =
          rig.endpoint(
              EndpointOptions.of(rig.vector, rig.queue)
                  .withConnections(
                      ConnectionOptions.defaults().withConnectTimeout(Duration.ofSeconds(1))));
      long descriptors = 0;
      long kilobytes = 0;
      for (int life = 0; life < lives; life++) {
        while (peers.size() <= Math.min(AHEAD, lives - life - 1)) {
          peers.add(new EchoPeer(rig, 1_000));
        }
        EchoPeer peer = peers.removeFirst();
        try (peer) {
          long to = rig.vector.insert(peer.meet(own));
          for (int seed = 0; seed < 3; seed++) {
            exchange(rig, own, to, memory(3_000), memory(3_000), seed);
          }
          own.send(memory(3_000), to, "under way");
          peer.kill();
          own.send(memory(3_000), to, "under way");
          rig.vector.remove(to);
        }
        // Whether they succeed is up to the fabric; that they end is not.
        rig.next("under way");
        rig.next("under way");
        if (life == Math.min(SETTLED, lives / 2)) {
          descriptors = Measured.descriptors();
          kilobytes = Measured.residentKilobytes();
        }
      }
      assertThat(Measured.descriptors()).isLessThanOrEqualTo(descriptors + 2L * AHEAD);
      assertThat(Measured.residentKilobytes()).isLessThan(kilobytes + MOST_KILOBYTES);
      assertThat(own.statistics().outstandingTransmits()).isZero();
    } finally {
      for (EchoPeer each : peers) {
        each.close();
      }
    }
  }

  /** In this JVM, where a peer is there within a millisecond. */
  private void churn() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        Rig others = new Rig(Rig.hints(provider))) {
      ReliableEndpoint own = rig.endpoint();
      for (int life = 0; life < 600; life++) {
        try (ReliableEndpoint peer =
            others.domain.openReliableEndpoint(EndpointOptions.of(others.vector, others.queue))) {
          long to = rig.insert(peer);
          MemorySegment buffer = memory(40);
          peer.receive(buffer, "received");
          own.send(pattern(memory(40), life), to, "sent");
          Completion received = others.next(Duration.ofMillis(1));
          while (received == null) {
            rig.move();
            received = others.next(Duration.ofMillis(1));
          }
          assertThat(received).isInstanceOf(Completion.Success.class);
          assertPattern(buffer, 40, life);
          rig.success("sent");
          rig.vector.remove(to);
        }
      }
    }
  }
}
