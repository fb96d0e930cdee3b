// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;

/**
 * What a message from one endpoint to another costs the collector once the compiler is done: from
 * posting on both sides until both completions have been read.
 */
class TrafficAllocationTest {
  private static final long TAG = 7;
  private static final TagPattern PATTERN = TagPattern.exactly(TAG);

  /** Nothing but what the JVM itself does now and then. */
  private static final double NOTHING = 2;

  /** A view of a piece of memory: a buffer of the JDK's, and the slice that it is made of. */
  private static final double VIEW = 128;

  /** What is sent, and what takes it. */
  enum Kind {
    MESSAGE,
    TAGGED,
    WITH_DATA,
    ACKNOWLEDGED,
    INJECTED,
    INJECTED_TAGGED,
    EARLY,
    EARLY_TAGGED
  }

  private final Completed completed = new Completed();

  @ParameterizedTest
  @CsvSource({
    "MESSAGE, 0, 10000",
    "MESSAGE, 64, 10000",
    "MESSAGE, 4096, 10000",
    "TAGGED, 4096, 10000",
    "WITH_DATA, 4096, 10000",
    "ACKNOWLEDGED, 4096, 10000",
    "INJECTED, 1024, 10000",
    "INJECTED_TAGGED, 1024, 10000",
    "EARLY, 64, 10000",
    "EARLY, 4096, 10000",
    "EARLY_TAGGED, 4096, 10000"
  })
  @DisplayName("Messages up to 4 KiB allocate nothing")
  void shortMessages(Kind kind, int size, int messages, TestReporter reporter) {
    double each = bytesForEach(kind, size, messages, NOTHING);
    reporter.publishEntry(kind + ", " + size + " bytes", each + " B/message");
    assertThat(each).as("bytes allocated for each message").isLessThan(NOTHING);
  }

  @ParameterizedTest
  @CsvSource({"MESSAGE, 65536, 5000", "TAGGED, 200000, 2000", "MESSAGE, 1048576, 750"})
  @DisplayName("Longer messages allocate at most one view on each side")
  void longMessages(Kind kind, int size, int messages, TestReporter reporter) {
    double each = bytesForEach(kind, size, messages, 2 * VIEW + NOTHING);
    reporter.publishEntry(kind + ", " + size + " bytes", each + " B/message");
    assertThat(each).as("bytes allocated for each message").isLessThan(2 * VIEW + NOTHING);
  }

  private double bytesForEach(Kind kind, int size, int messages, double enough) {
    try (Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      Exchange exchange = new Exchange(kind, from, to, size);
      return Measured.allocatedForEach(
          enough, messages, Thread.currentThread(), () -> exchange.run(messages));
    }
  }

  @Test
  @DisplayName("The thread that makes automatic progress allocates nothing for a message")
  void automatic(TestReporter reporter) {
    int messages = 5_000;
    try (Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      try (Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO))) {
        Thread mover = to.mover();
        Exchange exchange = new Exchange(Kind.MESSAGE, from, to, 4096);
        // The JDK's selector allocates now and then. It also boxes descriptors, which the pom has
        // Integer's cache hold.
        double enough = 8;
        double each =
            Measured.allocatedForEach(enough, messages, mover, () -> exchange.run(messages));
        reporter.publishEntry("automatic", each + " B/message");
        assertThat(each).as("bytes allocated for each message").isLessThan(enough);
      }
    }
  }

  /** Messages from one endpoint to another, one at a time. */
  private final class Exchange {
    private final Kind kind;
    private final Rig from;
    private final Rig to;
    private final long peer;
    private final MemorySegment message;
    private final MemorySegment buffer;
    private final SendRequest withData;
    private final SendRequest acknowledged;
    private final TaggedSendRequest tagged;

    Exchange(Kind kind, Rig from, Rig to, int size) {
      this.kind = kind;
      this.from = from;
      this.to = to;
      peer = from.insert(to);
      message = Rig.buffer(size).fill((byte) 1);
      buffer = Rig.buffer(size);
      withData = new SendRequest().memory(message).destination(peer).data(5).context(this);
      acknowledged =
          new SendRequest()
              .memory(message)
              .destination(peer)
              .context(this)
              .completes(CompletionLevel.DELIVERED);
      tagged = new TaggedSendRequest().memory(message).destination(peer).tag(TAG).context(this);
    }

    void run(int messages) {
      boolean early = kind == Kind.EARLY || kind == Kind.EARLY_TAGGED;
      for (int i = 0; i < messages; i++) {
        completed.count = 0;
        if (!early) {
          receive();
        }
        send();
        if (early) {
          // It comes, or most of it, before there is a receive.
          for (int turn = 0; turn < 3; turn++) {
            to.queue.poll(completed, 1);
          }
          receive();
        }
        int all = kind == Kind.INJECTED || kind == Kind.INJECTED_TAGGED ? 1 : 2;
        while (completed.count < all) {
          to.queue.poll(completed, 1);
          from.queue.poll(completed, 1);
        }
      }
    }

    private void send() {
      switch (kind) {
        case MESSAGE, EARLY -> from.endpoint().send(message, peer, this);
        case TAGGED, EARLY_TAGGED -> from.endpoint().sendTagged(tagged);
        case WITH_DATA -> from.endpoint().send(withData);
        case ACKNOWLEDGED -> from.endpoint().send(acknowledged);
        case INJECTED -> from.endpoint().inject(message, peer);
        case INJECTED_TAGGED -> from.endpoint().injectTagged(tagged);
      }
    }

    private void receive() {
      if (kind == Kind.TAGGED || kind == Kind.EARLY_TAGGED || kind == Kind.INJECTED_TAGGED) {
        to.endpoint().receiveTagged(buffer, PATTERN, this);
      } else {
        to.endpoint().receive(buffer, this);
      }
    }
  }
}
