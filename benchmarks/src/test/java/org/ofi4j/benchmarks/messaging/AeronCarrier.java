// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Two streams of Aeron through shared memory. Neither side sleeps; the driver does, because no
 * message goes through it.
 */
final class AeronCarrier extends EchoCarrier {
  /** The JVM options for Agrona, which accesses memory with an internal class of the JDK. */
  static final String OPTION = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

  private static final String CHANNEL = "aeron:ipc";
  private static final int QUESTIONS = 1;
  private static final int ANSWERS = 2;
  private static final int FRAGMENTS = 16;

  /** Eight times the longest message. */
  private static final int TERM = 1 << 23;

  private final MediaDriver driver =
      MediaDriver.launchEmbedded(
          new MediaDriver.Context()
              .threadingMode(ThreadingMode.SHARED)
              .ipcTermBufferLength(TERM)
              .dirDeleteOnShutdown(true));
  private final Aeron aeron =
      Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
  private final Publication questions = aeron.addPublication(CHANNEL, QUESTIONS);
  private final Subscription answers = aeron.addSubscription(CHANNEL, ANSWERS);
  private int answered;
  private final FragmentAssembler assembler =
      new FragmentAssembler((buffer, offset, length, header) -> answered++);
  private final UnsafeBuffer message;
  private final Thread answering;
  private volatile boolean isClosed;

  AeronCarrier(int bytes) {
    message = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
    answering = Thread.ofPlatform().daemon().start(this::answer);
  }

  private void answer() {
    Subscription asked = aeron.addSubscription(CHANNEL, QUESTIONS);
    Publication replies = aeron.addPublication(CHANNEL, ANSWERS);
    FragmentAssembler assembled =
        new FragmentAssembler((buffer, offset, length, header) -> {
          if (received(buffer.getByte(offset))) {
            offer(replies, buffer, offset, length);
          }
        });
    while (!isClosed) {
      asked.poll(assembled, FRAGMENTS);
    }
  }

  private void offer(Publication to, DirectBuffer buffer, int offset, int length) {
    while (true) {
      long position = to.offer(buffer, offset, length);
      if (position >= 0) {
        return;
      }
      if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
        throw new IllegalStateException("cannot send: " + Publication.errorString(position));
      }
      Thread.onSpinWait();
    }
  }

  @Override
  void send(int messages) {
    for (int sent = 1; sent <= messages; sent++) {
      message.putByte(0, sent == messages ? LAST : MORE);
      offer(questions, message, 0, message.capacity());
    }
  }

  @Override
  void awaitAnswer() {
    int next = answered + 1;
    while (answered < next) {
      answers.poll(assembler, FRAGMENTS);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      answering.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    aeron.close();
    driver.close();
  }
}
