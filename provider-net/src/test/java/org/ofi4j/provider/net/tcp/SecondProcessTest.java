// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.FreePort;
import org.ofi4j.provider.net.Rig;

/** Messages over TCP to and from an endpoint in another process, which may be killed. */
class SecondProcessTest {
  private static final int MESSAGES = 500;
  private static final int LONGEST = 200_000;
  private static final int LIVES = 3;
  private static final int TRAFFIC = 40;

  /** Tagged messages go back with this added to their tag. */
  private static final long ANSWER = 1L << 40;

  private static Hints hints(String port, Progress progress) {
    return Rig.tcp("127.0.0.1", port, progress)
        .withMoreCapabilities(
            Capability.MSG, Capability.TAGGED, Capability.SOURCE, Capability.SOURCE_ERR);
  }

  /** Echoes until it gets an empty message; learns from the messages who sends them. */
  static final class Echo {
    private Echo() {}

    public static void main(String[] arguments) throws Exception {
      try (Rig rig = Rig.reliable(hints(arguments[0], Progress.MANUAL))) {
        System.out.println(rig.name());
        MemorySegment plain = Rig.buffer(LONGEST);
        MemorySegment tagged = Rig.buffer(LONGEST);
        rig.endpoint().receive(plain, plain);
        rig.endpoint().receiveTagged(tagged, TagPattern.any(), tagged);
        while (true) {
          Completion received = rig.next();
          if (!(received.context() instanceof MemorySegment buffer)) {
            throw new AssertionError("where a message should be there is " + received);
          }
          long peer = Rig.source(received);
          if (received instanceof Completion.Failure unknown) {
            assertThat(unknown.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
            peer = rig.vector.insert(unknown.senderAddress(rig.vector.format()));
          }
          if (Rig.length(received) == 0) {
            return;
          }
          MemorySegment message = buffer.asSlice(0, Rig.length(received));
          if (buffer == tagged) {
            rig.endpoint()
                .sendTagged(
                    new TaggedSendRequest()
                        .memory(message)
                        .destination(peer)
                        .tag(tag(received) + ANSWER)
                        .context("sent"));
          } else {
            rig.endpoint().send(message, peer, "sent");
          }
          Completion sent = rig.next();
          assertThat(sent).isInstanceOf(Completion.Success.class);
          assertThat(sent.context()).isEqualTo("sent");
          if (buffer == tagged) {
            rig.endpoint().receiveTagged(buffer, TagPattern.any(), buffer);
          } else {
            rig.endpoint().receive(buffer, buffer);
          }
        }
      }
    }
  }

  private static long tag(Completion of) {
    return switch (of) {
      case Completion.Success success -> success.tag();
      case Completion.Failure failure -> failure.tag();
    };
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-185")
  @Tag("AV-216")
  @DisplayName("Messages of all sizes go there and back, and the other side finds out who sends")
  void exchange(Progress progress) throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    try (EndpointProcess peer = new EndpointProcess(Echo.class, "0");
        Rig rig = Rig.reliable(hints("0", progress))) {
      long handle = rig.vector.insert(peer.name());
      MemorySegment message = Rig.buffer(LONGEST);
      MemorySegment buffer = Rig.buffer(LONGEST);
      byte[] content = new byte[LONGEST];
      for (int i = 0; i < MESSAGES; i++) {
        random.nextBytes(content);
        message.copyFrom(MemorySegment.ofArray(content));
        int size = 1 + random.nextInt(i % 2 == 0 ? LONGEST : 256);
        MemorySegment sent = message.asSlice(0, size);
        boolean tagged = random.nextBoolean();
        if (tagged) {
          rig.endpoint().receiveTagged(buffer, TagPattern.exactly(i + ANSWER), "received");
          rig.endpoint()
              .sendTagged(
                  new TaggedSendRequest().memory(sent).destination(handle).tag(i).context("sent"));
        } else {
          rig.endpoint().receive(buffer, "received");
          rig.endpoint().send(sent, handle, "sent");
        }
        Completion.Success answer = exchanged(rig, seed);
        assertThat(answer.source()).as("-Dofi4j.seed=%d, message %d", seed, i).isEqualTo(handle);
        assertThat(answer.length()).as("-Dofi4j.seed=%d, message %d", seed, i).isEqualTo(size);
        assertThat(tag(answer))
            .as("-Dofi4j.seed=%d, message %d", seed, i)
            .isEqualTo(tagged ? i + ANSWER : 0);
        assertThat(buffer.asSlice(0, size).mismatch(sent))
            .as("-Dofi4j.seed=%d, message %d", seed, i)
            .isEqualTo(-1);
      }
      rig.endpoint().inject(Rig.buffer(0), handle);
      assertThat(peer.endsWell()).isTrue();
    }
  }

  /** Waits for a send and for its answer, in whichever order they end; gives the answer. */
  private static Completion.Success exchanged(Rig rig, long seed) throws InterruptedException {
    Completion.Success answer = null;
    for (int i = 0; i < 2; i++) {
      Completion ended = rig.next();
      assertThat(ended).as("-Dofi4j.seed=%d", seed).isInstanceOf(Completion.Success.class);
      answer = "received".equals(ended.context()) ? Rig.success(ended) : answer;
    }
    if (answer == null) {
      throw new AssertionError("no answer");
    }
    return answer;
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-180")
  @DisplayName("A peer that is killed and started again on its port is reached by the same handle")
  void restart(Progress progress) throws Exception {
    try (Rig rig = Rig.reliable(hints("0", progress))) {
      MemorySegment buffer = Rig.buffer(64);
      String port = String.valueOf(FreePort.find());
      long handle = -1;
      for (int life = 0; life < LIVES; life++) {
        try (EndpointProcess peer = new EndpointProcess(Echo.class, port)) {
          if (life == 0) {
            handle = rig.vector.insert(peer.name());
          }
          assertThat(rig.vector.find(peer.name())).isEqualTo(handle);
          String text = "life " + life;
          rig.endpoint().receive(buffer, "received");
          delivered(rig, text, handle);
          Completion.Success answer = Rig.success(rig.next());
          assertThat(answer.context()).isEqualTo("received");
          assertThat(answer.source()).isEqualTo(handle);
          assertThat(Rig.text(buffer, answer.length())).isEqualTo(text);
          peer.kill();
        }
      }
    }
  }

  /**
   * Sends until the peer has it. While nobody knows yet that a former life has ended, a send goes
   * to that one, and says so.
   */
  private static void delivered(Rig rig, String text, long handle) throws Exception {
    MemorySegment message = Rig.message(text);
    while (true) {
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(message)
                  .destination(handle)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      Completion sent = rig.next();
      assertThat(sent.context()).isEqualTo("sent");
      if (!(sent instanceof Completion.Failure lost)) {
        return;
      }
      assertThat(lost.errno()).isEqualTo(Errno.ECONNRESET);
    }
  }

  @Test
  @Tag("AV-180")
  @DisplayName("A send waits for a peer that starts only now")
  void lateStart() throws Exception {
    String port = String.valueOf(FreePort.find());
    FabricAddress name;
    try (EndpointProcess first = new EndpointProcess(Echo.class, port)) {
      name = first.name();
    }
    try (Rig rig = Rig.reliable(hints("0", Progress.AUTO))) {
      long handle = rig.vector.insert(name);
      MemorySegment buffer = Rig.buffer(64);
      rig.endpoint().receive(buffer, "received");
      rig.endpoint().send(Rig.message("are you there?"), handle, "sent");
      assertThat(rig.next(Duration.ofMillis(300))).isNull();
      try (EndpointProcess late = new EndpointProcess(Echo.class, port)) {
        assertThat(late.name()).isEqualTo(name);
        Completion.Success answer = exchanged(rig, 0);
        assertThat(Rig.text(buffer, answer.length())).isEqualTo("are you there?");
        assertThat(answer.source()).isEqualTo(handle);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-180")
  @DisplayName("A peer is killed under traffic: each send ends, and those after it arrive")
  void killedUnderTraffic(Progress progress) throws Exception {
    try (Rig rig = Rig.reliable(hints("0", progress))) {
      MemorySegment large = Rig.buffer(LONGEST);
      MemorySegment answers = Rig.buffer(LONGEST);
      String port = String.valueOf(FreePort.find());
      long handle;
      try (EndpointProcess peer = new EndpointProcess(Echo.class, port)) {
        handle = rig.vector.insert(peer.name());
        for (int i = 0; i < TRAFFIC; i++) {
          rig.endpoint().receive(answers, "answer");
          rig.endpoint()
              .send(
                  new SendRequest()
                      .memory(large)
                      .destination(handle)
                      .context("traffic")
                      .completes(CompletionLevel.DELIVERED));
        }
        assertThat(end(rig, "traffic")).isInstanceOf(Completion.Success.class);
        peer.kill();
      }
      try (EndpointProcess peer = new EndpointProcess(Echo.class, port)) {
        assertThat(rig.vector.find(peer.name())).isEqualTo(handle);
        // Those that had begun fail; the others go to the new life.
        for (int i = 1; i < TRAFFIC; i++) {
          if (end(rig, "traffic") instanceof Completion.Failure lost) {
            assertThat(lost.errno()).isEqualTo(Errno.ECONNRESET);
          }
        }
        rig.endpoint()
            .send(
                new SendRequest()
                    .memory(Rig.message("still there"))
                    .destination(handle)
                    .context("last")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(end(rig, "last")).isInstanceOf(Completion.Success.class);
      }
    }
  }

  /** Waits for the next completion with a context. */
  private static Completion end(Rig rig, String context) throws InterruptedException {
    while (true) {
      Completion ended = rig.next();
      if (context.equals(ended.context())) {
        return ended;
      }
      assertThat(ended.context()).isEqualTo("answer");
      assertThat(ended).isInstanceOf(Completion.Success.class);
    }
  }
}
