// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Pieces;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.FrameReader;
import org.ofi4j.provider.net.transfer.SharedBounds;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What a connection makes of bytes: each frame with its payload, until the first one that is none.
 * Some frames are paused first, and of some only a part of the payload is wanted.
 */
public final class RecordedFrames implements FrameHandler {
  /** Of longer payloads only the beginning is wanted. */
  private static final int LONGEST = 2 * TcpLimits.DIRECT_READ;

  private static final Staging.Pool POOL = new Staging.Pool();
  // One frame comes after the other.
  private static final MemorySegment ON_HEAP = MemorySegment.ofArray(new byte[LONGEST]);
  private static final MemorySegment NATIVE = Rig.buffer(LONGEST);

  /** Takes a payload on the heap, or outside of it. */
  private final class Taken implements Arrival {
    private final long most;
    private final MemorySegment memory;
    private long wanted;

    Taken(long most, boolean isNative) {
      this.most = most;
      memory = isNative ? NATIVE : ON_HEAP;
    }

    @Override
    public long wanted(long payload) {
      wanted = Math.min(payload, Math.min(most, memory.byteSize()));
      return wanted;
    }

    @Override
    public void take(MemorySegment from, long at, long length, long offset) {
      if (length > 0) {
        MemorySegment.copy(from, at, memory, offset, length);
      }
    }

    @Override
    public @Nullable MemorySegment rest(long offset, long length) {
      return memory.isNative() ? memory.asSlice(offset, length) : null;
    }

    @Override
    public void whole(FrameHeader header) {
      frames.add(
          "%d %x %d %x %x %x: %x"
              .formatted(
                  header.operation(),
                  header.flags(),
                  header.payload(),
                  header.data(),
                  header.tag(),
                  header.word(),
                  content()));
    }

    private int content() {
      return Arrays.hashCode(memory.asSlice(0, wanted).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public void unusable(Throwable failed) {
      throw new AssertionError(failed);
    }

    @Override
    public void brokeOff() {
      frames.add("broke off");
    }
  }

  /** Gives bytes in pieces, and then nothing more. */
  private static final class Pieces implements ReadableByteChannel {
    private final byte[] bytes;
    private final int[] ends;
    private int position;
    private int piece;

    Pieces(byte[] bytes, int[] ends) {
      this.bytes = bytes;
      this.ends = ends;
    }

    boolean isEmpty() {
      return position == bytes.length;
    }

    @Override
    public int read(ByteBuffer into) {
      while (piece < ends.length && ends[piece] <= position) {
        piece++;
      }
      int end = piece < ends.length ? Math.min(ends[piece], bytes.length) : bytes.length;
      int count = Math.min(into.remaining(), end - position);
      into.put(bytes, position, count);
      position += count;
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private final List<String> frames = new ArrayList<>();
  private int begun;
  private @Nullable FrameHeader paused;

  private RecordedFrames() {}

  /**
   * The frames that some bytes are.
   *
   * @param ends where pieces end that come one after the other, in ascending order
   */
  public static List<String> of(byte[] bytes, ByteOrder order, int... ends) {
    return of(bytes, order, Agreement.NONE, ends);
  }

  /** The same over a connection for which more was agreed on than libfabric's protocol has. */
  public static List<String> of(byte[] bytes, ByteOrder order, Agreement agreed, int... ends) {
    RecordedFrames recorded = new RecordedFrames();
    FrameReader reader = new FrameReader(recorded, new SharedBounds(System::nanoTime), POOL);
    reader.open(order, agreed);
    recorded.read(reader, new Pieces(bytes, ends));
    return recorded.frames;
  }

  private void read(FrameReader reader, Pieces from) {
    try {
      while (!from.isEmpty() || paused != null) {
        FrameHeader waiting = paused;
        if (waiting != null) {
          paused = null;
          reader.resume(arrival(waiting));
        } else {
          reader.read(from);
        }
      }
    } catch (ProtocolException rubbish) {
      frames.add("then rubbish: " + rubbish.getMessage());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    reader.close();
  }

  private Taken arrival(FrameHeader header) {
    return new Taken(
        header.payload() % 3 == 0 ? header.payload() / 2 : header.payload(),
        header.payload() % 2 == 0);
  }

  @Override
  public @Nullable Arrival begin(FrameHeader header) throws ProtocolException {
    if (header.operation() > FrameHeader.TAGGED) {
      throw new ProtocolException("operation " + header.operation());
    }
    if (begun++ % 4 == 3) {
      paused = header;
      return null;
    }
    return arrival(header);
  }

  @Override
  public void acknowledged(FrameHeader header) throws ProtocolException {
    throw new ProtocolException("an acknowledgement came that nothing waits for");
  }

  @Override
  public void signal(FrameHeader header) throws ProtocolException {
    throw new ProtocolException("operation " + header.operation());
  }

  @Override
  public void withdraw(Object closed) {
    throw new AssertionError("nothing is withdrawn");
  }

  @Override
  public boolean isAtRest() {
    return true;
  }

  @Override
  public void dropped() {
    frames.add("end");
  }
}
