// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Messages that are gathered from several pieces of memory, and scattered over several. */
class PartsTest {
  private static final int[] SIZES = {0, 1, 7, 100, 5_000, 9_000, 20_000, 70_000, 400_000};

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  private static MemorySegment[] parts(Random random, Arena arena, int most) {
    MemorySegment[] parts = new MemorySegment[random.nextInt(9)];
    int left = most;
    for (int i = 0; i < parts.length; i++) {
      int size = Math.min(left, SIZES[random.nextInt(SIZES.length)]);
      left -= size;
      parts[i] =
          random.nextBoolean() ? arena.allocate(size) : MemorySegment.ofArray(new byte[size]);
    }
    return parts;
  }

  private static byte[] bytes(MemorySegment... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> (int) part.byteSize()).sum();
    byte[] all = new byte[length];
    int at = 0;
    for (MemorySegment part : parts) {
      byte[] each = part.toArray(ValueLayout.JAVA_BYTE);
      System.arraycopy(each, 0, all, at, each.length);
      at += each.length;
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Every byte arrives at its place, whichever pieces both sides have")
  void random(Hints hints) throws Exception {
    long seed = 7;
    Random random = new Random(seed);
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints);
        Arena arena = Arena.ofShared()) {
      left.insert(right);
      right.insert(left);
      for (int round = 0; round < 60; round++) {
        MemorySegment[] message = parts(random, arena, 1 << 20);
        for (MemorySegment part : message) {
          byte[] content = new byte[(int) part.byteSize()];
          random.nextBytes(content);
          part.copyFrom(MemorySegment.ofArray(content));
        }
        MemorySegment[] buffer = parts(random, arena, 1 << 20);
        byte[] sent = bytes(message);
        boolean early = random.nextInt(3) == 0;
        if (!early) {
          right
              .endpoint()
              .receiveTagged(
                  new TaggedReceiveRequest()
                      .parts(buffer)
                      .pattern(TagPattern.exactly(round))
                      .context("received"));
        }
        left.endpoint()
            .sendTagged(
                new TaggedSendRequest().parts(message).destination(0).tag(round).context("sent"));
        if (early) {
          right.move(Duration.ofMillis(1));
          right
              .endpoint()
              .receiveTagged(
                  new TaggedReceiveRequest()
                      .parts(buffer)
                      .pattern(TagPattern.exactly(round))
                      .context("received"));
        }
        Completion received = right.next(left);
        byte[] arrived = bytes(buffer);
        int fits = Math.min(sent.length, arrived.length);
        assertThat(Rig.length(received)).as("seed %d, round %d", seed, round).isEqualTo(fits);
        assertThat(received instanceof Completion.Failure)
            .as("seed %d, round %d", seed, round)
            .isEqualTo(sent.length > fits);
        assertThat(Arrays.mismatch(sent, 0, fits, arrived, 0, fits))
            .as("seed %d, round %d", seed, round)
            .isEqualTo(-1);
        assertThat(left.next(right).context()).isEqualTo("sent");
      }
    }
  }

  @Test
  @DisplayName("Untagged and injected parts arrive; too many, or several for several, are refused")
  void rules() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      long self = rig.insert(rig);
      MemorySegment first = Rig.message("one, ");
      MemorySegment[] message = {first, Rig.message("two")};
      MemorySegment[] buffer = {Rig.buffer(3), Rig.buffer(5)};
      rig.endpoint().receive(new ReceiveRequest().parts(buffer).context("received"));
      rig.endpoint()
          .send(new SendRequest().parts(message).destination(self).context("sent").injected(true));
      first.fill((byte) 0);
      for (int i = 0; i < 2; i++) {
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
      }
      assertThat(new String(bytes(buffer), StandardCharsets.UTF_8)).isEqualTo("one, two");
      MemorySegment[] nine = new MemorySegment[9];
      Arrays.fill(nine, Rig.buffer(1));
      assertThatThrownBy(() -> rig.endpoint().send(new SendRequest().parts(nine).destination(self)))
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
      assertThatThrownBy(() -> rig.endpoint().receive(new ReceiveRequest().parts(nine).source(0)))
          .isInstanceOf(FabricException.class);
      assertThatThrownBy(() ->
              rig.endpoint()
                  .receive(
                      new ReceiveRequest()
                          .parts(buffer)
                          .source(0)
                          .mode(ReceiveMode.SEVERAL_MESSAGES)))
          .isInstanceOf(FabricException.class);
      assertThat(rig.domain.info().transmit().iovLimit()).isEqualTo(8);
    }
  }
}
