// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.FrameMover;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.matching.IncomingMessages;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.rma.RemoteAccess;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * What becomes of the frames that come over a connection: here each operation finds the class that
 * knows what to do with it. Guarded by the lock of the endpoint.
 */
final class FrameArrivals implements FrameHandler {
  private final @Nullable Receiving receiving;
  private final RemoteAccess remote;
  private final FrameMover mover;
  private final Connection connection;

  // Null until the first message comes.
  private @Nullable IncomingMessages messages;

  /**
   * For one connection.
   *
   * @param receiving takes messages, or null if the endpoint only sends
   * @param remote takes what reaches for our memory
   */
  FrameArrivals(
      Connection connection, @Nullable Receiving receiving, RemoteAccess remote, FrameMover mover) {
    this.connection = connection;
    this.mover = mover;
    this.receiving = receiving;
    this.remote = remote;
  }

  @Override
  public @Nullable Arrival begin(FrameHeader header) throws ProtocolException {
    boolean payload = header.payload() != 0;
    switch (header.operation()) {
      case FrameHeader.MESSAGE, FrameHeader.TAGGED -> {
        IncomingMessages from = messages();
        return orPaused(from.begin(header), from);
      }
      case FrameHeader.READY_TO_SEND -> {
        if (connection.isAnnouncing()) {
          IncomingMessages from = messages();
          return orPaused(from.announce(header) ? Arrival.NOWHERE : null, from);
        }
      }
      case FrameHeader.CLEAR_TO_SEND -> {
        if (connection.isAnnouncing() && !payload) {
          connection.writer().cleared(header.number());
          return Arrival.NOWHERE;
        }
      }
      case FrameHeader.ANNOUNCED -> {
        return messages().beginAnnounced(header);
      }
      case FrameHeader.ROOM -> {
        if (connection.agreement().hasRooms() && !payload) {
          connection.writer().room(header.messageLength());
          return Arrival.NOWHERE;
        }
      }
      case FrameHeader.READ_REQUEST, FrameHeader.WRITE -> {
        return remote.begin(connection, connection.peer, header);
      }
      case FrameHeader.READ_RESPONSE -> {
        return connection.writer().awaited().answered(header);
      }
      default -> {
        // Refused below.
      }
    }
    throw refused();
  }

  @Override
  public int receives() {
    // Of what TLS has decrypted no selector would tell, so all of it is read at once.
    return receiving == null || connection.secure() != null
        ? Integer.MAX_VALUE
        : receiving.matching().receives();
  }

  @Override
  public long posts() {
    return receiving == null ? 0 : receiving.matching().posts();
  }

  private static ProtocolException refused() {
    return new ProtocolException("a frame came that this endpoint does not take");
  }

  private IncomingMessages messages() throws ProtocolException {
    IncomingMessages present = messages;
    if (present == null) {
      Peer from = connection.peer;
      if (from == null || receiving == null) {
        throw refused();
      }
      present = new IncomingMessages(connection, from, receiving.matching(), receiving.sharing());
      messages = present;
    }
    return present;
  }

  /** Notes that there is no room for a message. */
  private @Nullable Arrival orPaused(@Nullable Arrival to, IncomingMessages from) {
    if (to == null) {
      mover.full(from::full);
    }
    return to;
  }

  @Override
  public void acknowledged(FrameHeader header) throws ProtocolException {
    connection.writer().awaited().acknowledged(header);
  }

  @Override
  public void signal(FrameHeader header) throws IOException {
    switch (header.operation()) {
      case FrameHeader.MEMORY_OFFER, FrameHeader.MEMORY_REFUSAL -> connection.memoryFrame(header);
      default -> connection.closing.came(header);
    }
  }

  @Override
  public void withdraw(Object closed) {
    if (messages != null) {
      messages.withdraw(closed);
    }
  }

  @Override
  public boolean isAtRest() {
    return messages == null || messages.isAtRest();
  }

  @Override
  public void dropped() {
    remote.dropped(connection);
    if (messages != null) {
      messages.dropped();
    }
  }

  @Override
  public void peerLeft() {
    Peer from = connection.peer;
    if (from != null && receiving != null) {
      receiving.matching().senderLeft(from);
    }
  }

  @Override
  public void peerRestarted() {
    Peer from = connection.peer;
    if (from != null && receiving != null) {
      receiving.matching().senderRestarted(from);
    }
  }
}
