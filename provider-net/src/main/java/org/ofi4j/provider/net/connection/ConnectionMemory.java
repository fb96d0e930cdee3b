// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.sharedmemory.MemorySharing;
import org.ofi4j.provider.net.sharedmemory.SharedMemoryChannel;
import org.ofi4j.provider.net.transfer.FrameReader;
import org.ofi4j.provider.net.transfer.FrameWriter;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Moves an open connection to a peer on this host into shared memory. The end that accepted the
 * connection offers memory once the connection is used; the other end joins, or refuses because it
 * cannot open the memory. Then the {@link FrameMover} looks at the memory of connections that had
 * data lately, and has the peer ring for all others. Guarded by the lock of the endpoint.
 */
final class ConnectionMemory {
  private final Link connection;
  private final ReadableByteChannel socketIn;
  private final GatheringByteChannel socketOut;
  private final MemorySharing sharing;
  private final boolean offers;
  private boolean hasOffered;

  // Memory that is offered or shared; null without any.
  private @Nullable SharedMemoryChannel channel;

  // A frame that came while the connection was read, which is acted on after that: an offer, or a
  // refusal.
  private boolean isOffered;
  private boolean isRefused;
  private long offer;

  /**
   * Shares no memory yet.
   *
   * @param socketIn the socket of the connection, with TLS or without
   * @param offers whether this end is the one that offers
   */
  ConnectionMemory(
      Link connection,
      ReadableByteChannel socketIn,
      GatheringByteChannel socketOut,
      boolean offers,
      MemorySharing sharing) {
    this.connection = connection;
    this.socketIn = socketIn;
    this.socketOut = socketOut;
    this.offers = offers;
    this.sharing = sharing;
  }

  /** Returns the memory that is offered or shared; null without any. */
  @Nullable SharedMemoryChannel channel() {
    return channel;
  }

  /** A frame about memory has come. */
  void came(FrameHeader header) throws ProtocolException {
    boolean isOffer = header.operation() == FrameHeader.MEMORY_OFFER;
    if (isOffer ? offers || channel != null || isOffered : !offers || channel == null) {
      throw new ProtocolException("a frame about shared memory came at the wrong time");
    }
    isOffered = isOffer;
    isRefused = !isOffer;
    offer = header.messageLength();
  }

  /**
   * Goes on with the move, between two reads of the connection.
   *
   * @return whether there is a frame to write
   */
  boolean move() {
    if (isRefused) {
      close();
    } else if (isOffered) {
      isOffered = false;
      return !join();
    } else if (offers && !hasOffered && isUsed()) {
      hasOffered = true;
      return offer();
    }
    return false;
  }

  private boolean isUsed() {
    return connection.reader().received() + connection.writer().written()
        > TcpLimits.BYTES_BEFORE_MEMORY;
  }

  private boolean offer() {
    FrameReader reader = connection.reader();
    FrameWriter writer = connection.writer();
    try {
      SharedMemoryChannel made =
          SharedMemoryChannel.offer(
              socketIn, socketOut, sharing, reader.received(), writer.written());
      channel = made;
      writer.signal(FrameHeader.MEMORY_OFFER, made.name());
      return true;
    } catch (IOException | RuntimeException none) {
      // The connection stays in the socket, as where there is no space.
      return false;
    }
  }

  private boolean join() {
    FrameReader reader = connection.reader();
    FrameWriter writer = connection.writer();
    try {
      channel =
          SharedMemoryChannel.join(
              socketIn, socketOut, sharing, offer, reader.received(), writer.written());
      return true;
    } catch (IOException | RuntimeException none) {
      writer.signal(FrameHeader.MEMORY_REFUSAL, 0);
      return false;
    }
  }

  /**
   * Has the peer ring when there is something to do in memory.
   *
   * @param writes whether frames can go out as soon as there is space
   * @return what there is to do already, so that it may not ring: operations of a selection key
   * @throws IOException if the peer has stored nonsense
   */
  int listen(boolean writes) throws IOException {
    SharedMemoryChannel present = channel;
    if (present == null || !connection.isOpen()) {
      return 0;
    }
    int ready = 0;
    if (!connection.reader().isPaused() && present.wantBytes()) {
      ready |= SelectionKey.OP_READ;
    }
    if (writes && isBlocked() && present.wantSpace()) {
      ready |= SelectionKey.OP_WRITE;
    }
    return ready;
  }

  /** Returns whether frames wait for space in memory. */
  boolean isBlocked() {
    return channel != null && channel.writesRing() && connection.writer().isBlocked();
  }

  /** Returns whether a write may get something out. */
  boolean hasSpace() throws IOException {
    SharedMemoryChannel present = channel;
    return present == null || !isBlocked() || present.hasSpace();
  }

  /** Returns whether both ends share memory. */
  boolean isShared() {
    return channel != null && channel.isJoined();
  }

  /**
   * Returns whether frames wait for space, and the bell for it would not be heard: it stands behind
   * frames in the socket that are not read, as the connection is paused.
   */
  boolean isDeaf() {
    return isBlocked() && connection.reader().isPaused() && channel != null && !channel.readsRing();
  }

  /** Returns whether a read of the connection finds something in memory. */
  boolean hasArrived() {
    try {
      return channel != null && !connection.reader().isPaused() && channel.hasBytes();
    } catch (IOException | InternalError nonsense) {
      return true;
    }
  }

  /** Unmaps the memory; the connection is over, or goes through the socket for good. */
  void close() {
    SharedMemoryChannel present = channel;
    channel = null;
    isRefused = false;
    if (present != null) {
      present.close();
    }
  }
}
