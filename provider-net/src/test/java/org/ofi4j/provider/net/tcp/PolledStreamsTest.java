// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;

/** Streams with pauses of any length, to a receiver that polls and sleeps by turns. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PolledStreamsTest {
  private static final int MESSAGES = 20_000;
  private static final int LONGEST = 40_000;
  private static final int POSTED = 64;

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
  private final Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
  private final long peer = from.insert(to);

  /** Sends bursts; waits after some of them until all has come that was sent. */
  private void send(SplittableRandom random, AtomicLong received) throws InterruptedException {
    Completed sent = new Completed();
    MemorySegment message = Rig.buffer(LONGEST);
    for (int i = 0; i < MESSAGES; ) {
      int end = Math.min(MESSAGES, i + 1 + random.nextInt(1 << random.nextInt(10)));
      int longest = random.nextInt(8) == 0 ? LONGEST : 1 << 8;
      while (i < end) {
        int size = Long.BYTES + random.nextInt(longest - Long.BYTES);
        message.set(ValueLayout.JAVA_LONG, 0, i);
        if (from.endpoint().trySend(message.asSlice(0, size), peer, null)) {
          i++;
        } else {
          Thread.onSpinWait();
        }
        // Each goes out before the next one takes its memory.
        while (sent.count < i) {
          from.queue.poll(sent, POSTED);
        }
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          // What was sent last has nothing behind it, and comes.
          while (received.get() < end) {
            Thread.sleep(1);
          }
        }
        case 1 -> Thread.sleep(0, random.nextInt(100_000));
        default -> {
          // Go on.
        }
      }
    }
  }

  private void receive(SplittableRandom random, AtomicLong received) throws InterruptedException {
    MemorySegment[] buffers = new MemorySegment[POSTED];
    for (int i = 0; i < POSTED; i++) {
      buffers[i] = Rig.buffer(LONGEST);
      to.endpoint().receive(buffers[i], buffers[i]);
    }
    for (long i = 0; i < MESSAGES; i++) {
      Completion completion = null;
      boolean sleeps = random.nextInt(100) == 0;
      while (completion == null) {
        completion = to.next(sleeps ? Rig.PATIENCE : Duration.ZERO);
      }
      assertThat(completion).isInstanceOf(Completion.Success.class);
      MemorySegment buffer = (MemorySegment) ((Completion.Success) completion).context();
      assertThat(buffer).isNotNull();
      assertThat(buffer.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
      received.set(i + 1);
      to.endpoint().receive(buffer, buffer);
    }
  }

  @Test
  @DisplayName("All messages come, in their order, and none waits for the next one")
  void allCome(TestReporter reporter) throws Exception {
    reporter.publishEntry("seed", Long.toString(seed));
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom senders = random.split();
    AtomicLong received = new AtomicLong();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    Thread sender =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                send(senders, received);
              } catch (InterruptedException | RuntimeException | AssertionError e) {
                failed.set(e);
              }
            });
    try (from;
        to) {
      receive(random, received);
      sender.join();
    }
    assertThat(failed.get()).isNull();
  }
}
