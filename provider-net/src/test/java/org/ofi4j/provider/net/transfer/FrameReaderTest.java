// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Handlers that use the reader while it goes through bytes. */
class FrameReaderTest {
  /** Messages of one byte each, of which some come with one read. */
  private static final class Script implements ReadableByteChannel {
    private final Deque<byte[]> reads = new ArrayDeque<>();

    private Script read(byte... messages) {
      ByteBuffer frames =
          ByteBuffer.allocate((FrameHeader.BASE + 1) * messages.length)
              .order(ByteOrder.nativeOrder());
      for (byte each : messages) {
        FrameHeader.encodeBase(frames, FrameHeader.MESSAGE, 0, 0, each, 1);
        frames.put(each);
      }
      reads.add(frames.array());
      return this;
    }

    @Override
    public int read(ByteBuffer into) {
      byte[] next = reads.poll();
      if (next == null) {
        return 0;
      }
      int length = Math.min(next.length, into.remaining());
      into.put(next, 0, length);
      if (length < next.length) {
        reads.addFirst(Arrays.copyOfRange(next, length, next.length));
      }
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** Notes the messages, and calls something when all of the first one has come. */
  private static final class Noting implements FrameHandler, Arrival {
    private final List<Byte> messages = new ArrayList<>();
    private int receives = Integer.MAX_VALUE;
    private long posts;
    private int begun;
    private Runnable first = () -> {};

    @Override
    public Arrival begin(FrameHeader header) {
      begun++;
      return this;
    }

    @Override
    public int receives() {
      return receives;
    }

    @Override
    public long posts() {
      return posts;
    }

    @Override
    public long wanted(long payload) {
      return payload;
    }

    @Override
    public void take(MemorySegment from, long at, long length, long offset) {
      messages.add(from.get(ValueLayout.JAVA_BYTE, at));
    }

    @Override
    public MemorySegment rest(long offset, long length) {
      return null;
    }

    @Override
    public void whole(FrameHeader header) {
      if (messages.size() == 1) {
        first.run();
      }
    }

    @Override
    public void unusable(Throwable failed) {
      throw new IllegalStateException(failed);
    }

    @Override
    public void brokeOff() {}
  }

  private static final int FRAME = FrameHeader.BASE + 1;

  private long now;
  private final Noting handler = new Noting();
  private final FrameReader reader =
      new FrameReader(handler, new SharedBounds(() -> now), new Staging.Pool());

  FrameReaderTest() {
    reader.open(ByteOrder.nativeOrder(), Agreement.NONE);
  }

  @Test
  void handlerThatReadsGetsNothingBeforeTheBytesAtHand() throws IOException {
    Script channel = new Script().read((byte) 1, (byte) 2).read((byte) 3);
    List<Long> nested = new ArrayList<>();
    handler.first =
        () -> {
          assertThat(reader.isParsing()).isTrue();
          try {
            nested.add(reader.read(channel));
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        };
    reader.read(channel);
    assertThat(reader.isParsing()).isFalse();
    reader.read(channel);
    assertThat(nested).containsExactly(0L);
    assertThat(handler.messages).containsExactly((byte) 1, (byte) 2, (byte) 3);
  }

  @Test
  void noFrameBeginsOnceAHandlerHasClosedTheReader() throws IOException {
    Script channel = new Script().read((byte) 1, (byte) 2).read((byte) 3);
    handler.first = reader::close;
    reader.read(channel);
    assertThat(handler.begun).isOne();
    assertThat(handler.messages).containsExactly((byte) 1);
    assertThat(channel.reads).hasSize(1);
  }

  @Test
  void messagesWithoutAReceiveWaitInTheSocket() throws IOException {
    int few = TcpLimits.FIRST_READ / FRAME;
    Script channel = new Script().read(new byte[1]).read(new byte[10 * few]);
    reader.read(channel);
    handler.receives = 1;
    assertThat(reader.read(channel)).isLessThanOrEqualTo(TcpLimits.FIRST_READ);
    handler.receives = 2 * few;
    assertThat(reader.read(channel)).isBetween((long) TcpLimits.FIRST_READ, 2L * few * FRAME);
    handler.receives = Integer.MAX_VALUE;
    reader.read(channel);
    assertThat(handler.messages).hasSize(1 + 10 * few);
  }

  @Test
  void messagesAreReadOnceTheApplicationHasPostedNoReceiveForAWhile() throws IOException {
    Script channel = new Script().read((byte) 1).read((byte) 2).read((byte) 3);
    reader.read(channel);
    handler.receives = 0;
    for (int i = 0; i < 10; i++) {
      handler.posts++;
      now += TcpLimits.RECEIVE_PAUSE;
      assertThat(reader.read(channel)).isZero();
    }
    now += TcpLimits.RECEIVE_PAUSE - 1;
    assertThat(reader.read(channel)).isZero();
    now++;
    assertThat(reader.read(channel)).isEqualTo(FRAME);
    handler.posts++;
    assertThat(reader.read(channel)).isZero();
    handler.receives = 1;
    assertThat(reader.read(channel)).isEqualTo(FRAME);
  }

  @Test
  void messagesWaitForReceivesNoLongerThanAMoment() throws IOException {
    Script channel = new Script().read((byte) 1).read((byte) 2);
    reader.read(channel);
    handler.receives = 0;
    long begun = now;
    long count = 0;
    while (count == 0) {
      handler.posts++;
      now += TcpLimits.RECEIVE_PAUSE / 2;
      count = reader.read(channel);
    }
    assertThat(now - begun)
        .isBetween(TcpLimits.LONGEST_RECEIVE_PAUSE, 2 * TcpLimits.LONGEST_RECEIVE_PAUSE);
  }

  @Test
  void allIsReadOfAConnectionThatIsAboutToBeLost() throws IOException {
    int many = 10 * TcpLimits.FIRST_READ / FRAME;
    Script channel = new Script().read((byte) 1).read(new byte[many]);
    reader.read(channel);
    handler.receives = 0;
    handler.posts++;
    assertThat(reader.read(channel)).isZero();
    reader.readAll(true);
    assertThat(reader.read(channel)).isEqualTo((long) many * FRAME);
  }
}
