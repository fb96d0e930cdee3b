// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Two streams of Aeron through shared memory, one each way. The peers poll and never sleep; the
 * driver, which runs in one of the two processes, does sleep, because no message passes it.
 */
final class AeronPeer implements Peer {
  private static final String CHANNEL = "aeron:ipc";
  private static final int FRAGMENTS = 16;

  /** A term takes eight times the longest message. */
  private static final int TERM_OF_MESSAGE = 8;

  private static final int LEAST_TERM = 1 << 20;

  private final int longest;
  private final String directory = CommonContext.generateRandomDirName();
  private final UnsafeBuffer message;
  private @Nullable MediaDriver driver;
  private @Nullable Aeron aeron;
  private @Nullable Publication publication;
  private @Nullable Subscription subscription;
  private final FragmentAssembler assembler =
      new FragmentAssembler((buffer, offset, length, header) -> received(buffer, offset, length));

  private int received;
  private long receivedBytes;

  /** Whether each message is sent back. */
  private boolean isAnswering;

  /** The expected content of a message that comes, or null. */
  private @Nullable DirectBuffer expected;

  AeronPeer(int longest) {
    this.longest = longest;
    message = new UnsafeBuffer(ByteBuffer.allocateDirect(longest));
  }

  @Override
  public String name() {
    return directory;
  }

  @Override
  public void connect(String name) {
    boolean isFirst = directory.compareTo(name) > 0;
    if (isFirst) {
      int term = Math.max(LEAST_TERM, Integer.highestOneBit(longest) * 2 * TERM_OF_MESSAGE);
      MediaDriver launched =
          MediaDriver.launchEmbedded(
              new MediaDriver.Context()
                  .aeronDirectoryName(directory)
                  .threadingMode(ThreadingMode.SHARED)
                  .ipcTermBufferLength(term)
                  .dirDeleteOnShutdown(true));
      driver = launched;
      // The process ends while it waits for commands, and the directory takes 48 MB of memory.
      Runtime.getRuntime().addShutdownHook(new Thread(launched::close));
    }
    Aeron client =
        Aeron.connect(new Aeron.Context().aeronDirectoryName(isFirst ? directory : name));
    aeron = client;
    publication = client.addPublication(CHANNEL, isFirst ? 1 : 2);
    subscription = client.addSubscription(CHANNEL, isFirst ? 2 : 1);
  }

  private void received(DirectBuffer buffer, int offset, int length) {
    received++;
    receivedBytes += length;
    if (isAnswering) {
      offer(buffer, offset, length);
    }
    if (expected != null) {
      Peer.checkContent(
          new UnsafeBuffer(buffer, offset, length).equals(new UnsafeBuffer(expected, 0, length)));
    }
  }

  private void offer(DirectBuffer buffer, int offset, int length) {
    Publication open = Objects.requireNonNull(publication);
    while (true) {
      long position = open.offer(buffer, offset, length);
      if (position >= 0) {
        return;
      }
      if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
        throw new IllegalStateException("cannot send: " + Publication.errorString(position));
      }
      Thread.onSpinWait();
    }
  }

  private void begin(boolean answering) {
    received = 0;
    receivedBytes = 0;
    isAnswering = answering;
    expected = null;
  }

  private void await(int messages) {
    Subscription open = Objects.requireNonNull(subscription);
    while (received < messages) {
      open.poll(assembler, FRAGMENTS);
    }
  }

  @Override
  public void answer(int size, int count, Runnable ready) {
    begin(true);
    ready.run();
    await(count);
    Peer.checkReceived(receivedBytes, (long) size * count);
  }

  @Override
  public void ask(int size, long[] times) {
    for (int i = 0; i < size; i++) {
      message.putByte(i, Peer.content(i, times.length));
    }
    begin(false);
    long start = System.nanoTime();
    for (int i = 0; i < times.length; i++) {
      if (i == times.length - 1) {
        expected = message;
      }
      offer(message, 0, size);
      await(i + 1);
      long end = System.nanoTime();
      times[i] = end - start;
      start = end;
    }
    Peer.checkReceived(receivedBytes, (long) size * times.length);
  }

  @Override
  public void take(int size, int count, Runnable ready) {
    begin(false);
    ready.run();
    await(count);
    Peer.checkReceived(receivedBytes, (long) size * count);
    offer(message, 0, 1);
  }

  @Override
  public long stream(int size, int count, boolean announced) {
    begin(false);
    long start = System.nanoTime();
    for (int sent = 0; sent < count; sent++) {
      offer(message, 0, size);
    }
    await(1);
    return System.nanoTime() - start;
  }

  @Override
  public void close() {
    if (aeron != null) {
      aeron.close();
    }
    if (driver != null) {
      driver.close();
    }
  }
}
