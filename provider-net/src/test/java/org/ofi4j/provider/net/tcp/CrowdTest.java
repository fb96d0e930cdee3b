// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Limits;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.transfer.Answer;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Crowds of endpoints that talk to one, all at once, and leave. How many there are in a crowd is
 * the system property {@code ofi4j.peers}, how many messages each sends {@code
 * ofi4j.peers.messages}, and how many crowds come {@code ofi4j.crowds}.
 */
class CrowdTest {
  private static final int PEERS = Integer.getInteger("ofi4j.peers", 200);
  private static final int MESSAGES = Integer.getInteger("ofi4j.peers.messages", 10);
  private static final int SIZE = 900;
  private static final int BUFFERS = 64;
  private static final int COMPLETIONS_A_TURN = 256;

  private static final int CROWDS = Integer.getInteger("ofi4j.crowds", 3);

  // File descriptors of the JVM's own, which come and go.
  private static final int FEW = 4;

  // Besides what is kept to be used again for messages that come early.
  private static final long MOST_HEAP =
      1_000_000 + (long) TcpLimits.IDLE_MESSAGES * TcpLimits.UNEXPECTED_BLOCK;

  /** One of the crowd: says something, waits for the answer, and goes on. */
  private static final class Member implements AutoCloseable {
    private final int place;
    private final long first;
    private final ReliableEndpoint endpoint;
    private final MemorySegment message = Rig.buffer(SIZE);
    private final MemorySegment buffer = Rig.buffer(SIZE);
    private final Answer answer = new Answer(this);
    private int acknowledged;
    private int answered;

    Member(int place, Rig crowd) {
      this.place = place;
      first = (long) place << 32;
      endpoint = crowd.domain.openReliableEndpoint(crowd.vector, crowd.queue);
    }

    void say(long to) {
      endpoint.receive(buffer, answer);
      NumberedMessage.write(message, first + acknowledged);
      endpoint.send(
          new SendRequest()
              .memory(message)
              .destination(to)
              .context(this)
              .completes(CompletionLevel.DELIVERED));
    }

    boolean hasAnswer() {
      return acknowledged == answered;
    }

    @Override
    public void close() {
      endpoint.close();
    }
  }

  /** The context of a receive. */
  private record Answer(Member to) {}

  private static final class Scene implements AutoCloseable {
    private final Rig hub;
    private final Rig crowd;
    private final List<Member> members = new ArrayList<>();
    private final long[] handles = new long[PEERS];
    private final int[] heard = new int[PEERS];
    private final long toHub;
    private int done;

    Scene(Progress ofHub, Progress ofCrowd) {
      hub =
          Rig.reliable(
              Rig.tcp("127.0.0.1", ofHub)
                  .withLimits(Limits.none().withTransmitSize(Math.max(1_024, PEERS))));
      crowd = Rig.reliable(Rig.tcp("127.0.0.1", ofCrowd));
      toHub = crowd.insert(hub);
      for (int i = 0; i < BUFFERS; i++) {
        MemorySegment buffer = Rig.buffer(SIZE);
        hub.endpoint().receive(buffer, buffer);
      }
    }

    void gather() {
      for (int i = 0; i < PEERS; i++) {
        Member member = new Member(i, crowd);
        members.add(member);
        handles[i] = hub.vector.insert(member.endpoint.address());
      }
    }

    void talk() throws InterruptedException {
      Arrays.fill(heard, 0);
      done = 0;
      members.forEach(member -> member.say(toHub));
      while (done < PEERS) {
        turnOfHub();
        turnOfCrowd();
      }
    }

    /** The hub knows by its handle who talks, and says the same to that one. */
    private void turnOfHub() throws InterruptedException {
      Completion next = hub.next(Duration.ZERO);
      for (int i = 0; next != null; i++) {
        assertThat(next).isInstanceOf(Completion.Success.class);
        if (next.context() instanceof MemorySegment buffer) {
          long number = NumberedMessage.read(buffer, Rig.success(next).length());
          int place = (int) (number >>> 32);
          assertThat(Rig.success(next).source()).isEqualTo(handles[place]);
          assertThat((int) number).as("from %d", place).isEqualTo(heard[place]++);
          // At most one for each of the crowd is under way.
          hub.endpoint().inject(buffer, Rig.success(next).source());
          hub.endpoint().receive(buffer, buffer);
        }
        next = i < COMPLETIONS_A_TURN ? hub.next(Duration.ZERO) : null;
      }
    }

    private void turnOfCrowd() throws InterruptedException {
      Completion next = crowd.next(Duration.ofMillis(1));
      for (int i = 0; next != null; i++) {
        assertThat(next).isInstanceOf(Completion.Success.class);
        Member member;
        if (next.context() instanceof Answer answer) {
          member = answer.to;
          assertThat(Rig.success(next).source()).isEqualTo(toHub);
          assertThat(NumberedMessage.read(member.buffer, Rig.success(next).length()))
              .isEqualTo(member.first + member.answered);
          member.answered++;
        } else {
          member = (Member) next.context();
          member.acknowledged++;
        }
        if (member.hasAnswer()) {
          if (member.answered < MESSAGES) {
            member.say(toHub);
          } else {
            done++;
          }
        }
        next = i < COMPLETIONS_A_TURN ? crowd.next(Duration.ZERO) : null;
      }
    }

    /** They close, the hub notices, and their entries are removed. */
    void leave(long descriptors) throws Exception {
      members.forEach(Member::close);
      members.clear();
      do {
        hub.move(Duration.ofMillis(1));
        crowd.move(Duration.ofMillis(1));
      } while (Measured.descriptors() > descriptors);
      for (long handle : handles) {
        hub.vector.remove(handle);
      }
    }

    @Override
    public void close() {
      members.forEach(Member::close);
      hub.close();
      crowd.close();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-185")
  @DisplayName(
      "All of a crowd are served at once, each is known by its handle, none leaves a trace")
  void crowd(Progress ofHub) throws Exception {
    long before = Measured.descriptors();
    try (Scene scene = new Scene(ofHub, Progress.MANUAL)) {
      scene.hub.move(Duration.ofMillis(1));
      scene.crowd.move(Duration.ofMillis(1));
      long descriptors = Measured.descriptors();
      long heap = 0;
      for (int i = 0; i < CROWDS; i++) {
        long start = System.nanoTime();
        scene.gather();
        scene.talk();
        assertThat(scene.heard).containsOnly(MESSAGES);
        long milliseconds = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        long heapWhile = Measured.heap();
        long descriptorsWhile = Measured.descriptors();
        scene.leave(descriptors + FEW);
        long heapAfter = Measured.heap();
        System.out.printf(
            "%s: %,d peers, %,d messages and answers in %,d ms; heap %,d bytes, then %,d;"
                + " descriptors %d, then %d%n",
            ofHub,
            PEERS,
            (long) PEERS * MESSAGES,
            milliseconds,
            heapWhile,
            heapAfter,
            descriptorsWhile,
            Measured.descriptors());
        // What the first crowd leaves, memory that is used again, does for the others.
        heap = i == 0 ? heapAfter : heap;
        assertThat(heapAfter - heap).as("bytes more than before").isLessThan(MOST_HEAP);
      }
    }
    assertThat(Measured.descriptors()).isLessThanOrEqualTo(before + FEW);
  }
}
