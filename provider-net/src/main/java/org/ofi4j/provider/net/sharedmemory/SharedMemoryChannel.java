// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a connection between two processes of one host, which go through memory that both
 * have mapped instead of the socket. Frames do not notice: each direction is one stream of bytes,
 * of which the first go over the socket and the rest through its {@link Ring}. The writer of a
 * direction says in the ring how many those first ones are; a reader that has read so many goes on
 * in the ring.
 *
 * <p>The socket stays. It is closed when a process ends; and it is the bell that wakes one that
 * sleeps in a selector: a byte that comes behind those of the stream means that the ring is worth
 * looking at, and nothing else.
 *
 * <p>One end {@linkplain #offer offers}: it makes the file, and sends its name in a frame. The
 * other end {@linkplain #join joins}, and writes to its ring from then on. The first end does so
 * when it sees that the other one has mapped the file.
 *
 * <p>Guarded by the lock of the endpoint.
 */
public final class SharedMemoryChannel implements ReadableByteChannel, GatheringByteChannel {
  private final ReadableByteChannel socketIn;
  private final GatheringByteChannel socketOut;
  private final ConnectionFile file;
  private final Ring in;
  private final Ring out;

  // Bytes of frames that went over the socket so far, and whether the rest goes through the ring.
  private long read;
  private long written;
  private boolean readsRing;
  private boolean writesRing;

  // Whether the socket has ended, and why if not in good order.
  private boolean ended;
  private @Nullable IOException failure;

  private final ByteBuffer bells;
  private final ByteBuffer[] single = new ByteBuffer[1];

  private SharedMemoryChannel(
      ReadableByteChannel socketIn,
      GatheringByteChannel socketOut,
      ConnectionFile file,
      long read,
      long written) {
    this.socketIn = socketIn;
    this.socketOut = socketOut;
    this.file = file;
    this.read = read;
    this.written = written;
    in = file.in();
    out = file.out();
    bells = file.scratch();
  }

  /**
   * Makes memory for a connection; its bytes go over the socket until the other end has joined.
   *
   * @param sharing says where, and how much
   * @param read bytes of frames that have come over the socket
   * @param written bytes of frames that have gone
   * @throws IOException if there is no space for it
   */
  public static SharedMemoryChannel offer(
      ReadableByteChannel socketIn,
      GatheringByteChannel socketOut,
      MemorySharing sharing,
      long read,
      long written)
      throws IOException {
    return new SharedMemoryChannel(
        socketIn,
        socketOut,
        ConnectionFile.make(sharing.directory(), sharing.bytes()),
        read,
        written);
  }

  /**
   * Opens the memory that the other end has offered; this end writes to it from now on.
   *
   * @param name the number that came in the offer
   * @throws IOException if there is no such memory here
   */
  public static SharedMemoryChannel join(
      ReadableByteChannel socketIn,
      GatheringByteChannel socketOut,
      MemorySharing sharing,
      long name,
      long read,
      long written)
      throws IOException {
    return new SharedMemoryChannel(
        socketIn, socketOut, ConnectionFile.join(sharing.directory(), name), read, written);
  }

  /** Returns the number for the offer. */
  public long name() {
    return file.name();
  }

  /** Returns whether what is read now comes through memory. */
  public boolean readsRing() {
    return readsRing;
  }

  /** Returns whether both ends have mapped the memory. */
  public boolean isJoined() {
    return file.isJoined();
  }

  /**
   * Returns whether what is written now goes through memory, so that the socket is not waited for.
   */
  public boolean writesRing() {
    return writesRing;
  }

  /** The socket may be read, says a selector: it has a bell, its end, or bytes of frames. */
  public void socketReady() {
    if (readsRing) {
      takeBells();
    }
  }

  // Reading.

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (!readsRing) {
      int count = readSocket(into);
      if (!readsRing || count != 0) {
        return count;
      }
    }
    int count = readRing(into);
    if (count > 0) {
      if (in.takeWantsSpace()) {
        ring();
      }
      return count;
    }
    // The end of the socket was seen before this look at the ring, so nothing more is written.
    if (!ended || !into.hasRemaining() || in.hasBytes()) {
      return 0;
    }
    if (failure != null) {
      throw failure;
    }
    return -1;
  }

  private int readRing(ByteBuffer into) throws IOException {
    try {
      return in.read(into);
    } catch (InternalError fault) {
      throw badAddress(fault);
    }
  }

  /** As the kernel says of memory that faults: a mapped file that has become shorter. */
  private static IOException badAddress(InternalError fault) {
    return new IOException("Bad address: " + fault.getMessage(), fault);
  }

  /** Reads frames that come over the socket, and no bell that stands behind them. */
  private int readSocket(ByteBuffer into) throws IOException {
    long begins = in.begins();
    if (begins >= 0 && begins <= read) {
      return beginRing(begins, 0, into);
    }
    int limit = into.limit();
    if (begins >= 0) {
      into.limit((int) Math.min(limit, into.position() + begins - read));
    }
    int count;
    try {
      count = socketIn.read(into);
    } catch (IOException reset) {
      if (in.begins() != read) {
        throw reset;
      }
      // A peer that was killed before it could ring.
      failure = reset;
      count = -1;
    } finally {
      into.limit(limit);
    }
    read += Math.max(count, 0);
    // A bell that has come, or the end, was sent after this was stored.
    long now = count == 0 ? -1 : in.begins();
    if (now < 0 || now > read) {
      return count;
    }
    ended = count < 0;
    return beginRing(now, Math.max(count, 0), into);
  }

  private int beginRing(long begins, int count, ByteBuffer into) throws IOException {
    int bells = (int) (read - begins);
    if (bells > count) {
      throw new IOException(
          "the peer says that %d bytes came over the socket, and %d did".formatted(begins, read));
    }
    into.position(into.position() - bells);
    read = begins;
    readsRing = true;
    return count - bells;
  }

  /** Empties the socket. A peer that was killed has reset it, and what is in the ring is whole. */
  private void takeBells() {
    try {
      int count;
      do {
        count = socketIn.read(bells.clear());
      } while (count == bells.capacity());
      ended = count < 0;
    } catch (IOException reset) {
      ended = true;
      failure = reset;
    }
  }

  /**
   * Asks for the bell when bytes come.
   *
   * @return whether there are some already, so that the bell may not ring
   */
  public boolean wantBytes() throws IOException {
    return readsRing && (in.wantBytes() || ended);
  }

  /** Returns whether a read would give something without asking the socket. */
  public boolean hasBytes() throws IOException {
    return readsRing && in.hasBytes();
  }

  /** Returns whether the socket has ended, so that nothing rings any more. */
  public boolean isEnded() {
    return ended;
  }

  // Writing.

  @Override
  public int write(ByteBuffer from) throws IOException {
    if (!goesToRing()) {
      int count = socketOut.write(from);
      written += count;
      return count;
    }
    single[0] = from;
    return (int) put(single, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    if (!goesToRing()) {
      long count = socketOut.write(from, offset, length);
      written += count;
      return count;
    }
    return put(from, offset, length);
  }

  @Override
  public long write(ByteBuffer[] from) throws IOException {
    return write(from, 0, from.length);
  }

  private boolean goesToRing() {
    if (!writesRing && file.isJoined()) {
      out.begin(written);
      writesRing = true;
    }
    return writesRing;
  }

  /**
   * Writes as much as there is space for. If memory of the application cannot be read, nothing is
   * written, or what stands before the piece that cannot.
   */
  private long put(ByteBuffer[] from, int offset, int length) throws IOException {
    if (ended) {
      throw new IOException("Broken pipe: the peer has closed the connection");
    }
    long total = 0;
    try {
      boolean hasSpace = true;
      for (int i = offset; i < offset + length && hasSpace; i++) {
        while (from[i].hasRemaining() && hasSpace) {
          hasSpace = out.put(from[i]) > 0;
          if (out.pending() >= Ring.PIECE) {
            total += out.publish();
          }
        }
      }
    } catch (InternalError fault) {
      out.forget();
      if (total == 0) {
        throw badAddress(fault);
      }
    } catch (RuntimeException unreadable) {
      out.forget();
      if (total == 0) {
        throw unreadable;
      }
    }
    total += out.publish();
    if (total > 0 && out.takeWantsBytes()) {
      ring();
    }
    return total;
  }

  /**
   * Wakes the other end, unless its socket is full: then there is something to wake it. A bell is
   * one only behind the frames that go over the socket, so this direction moves first.
   */
  private void ring() {
    goesToRing();
    try {
      socketOut.write(bells.clear().limit(1));
    } catch (IOException gone) {
      ended = true;
      failure = gone;
    }
  }

  /** Returns whether there is space in the ring. */
  public boolean hasSpace() throws IOException {
    return out.hasSpace();
  }

  /**
   * Asks for the bell when there is space.
   *
   * @return whether there is some already, so that the bell may not ring
   */
  public boolean wantSpace() throws IOException {
    return out.wantSpace();
  }

  @Override
  public boolean isOpen() {
    return socketOut.isOpen();
  }

  /** Unmaps the memory; the socket stays open. */
  @Override
  public void close() {
    file.close();
  }
}
