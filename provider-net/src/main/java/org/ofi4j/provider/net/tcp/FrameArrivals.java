// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.FrameMover;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.ReadyToSend;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.ReceiveOutcomes;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.rma.ReadAnswer;
import org.ofi4j.provider.net.rma.RemoteAccess;
import org.ofi4j.provider.net.rma.RemoteWrite;
import org.ofi4j.provider.net.transfer.AnnouncedMessages;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * What becomes of the frames that come over a connection: here each operation finds the class that
 * knows what to do with it. Guarded by the lock of the endpoint.
 */
final class FrameArrivals implements FrameHandler {
  private final @Nullable Matching matching;
  private final @Nullable ReceiveOutcomes sharing;
  private final RemoteAccess remote;
  private final FrameMover mover;
  private final Connection connection;

  // What the peer has announced.
  private final AnnouncedMessages<ReadyToSend> announced = new AnnouncedMessages<>();

  /**
   * For one connection.
   *
   * @param receiving takes messages, or null if the endpoint only sends
   * @param remote takes what reaches for our memory
   * @param mover hears of messages for which there is no room
   */
  FrameArrivals(
      Connection connection, @Nullable Receiving receiving, RemoteAccess remote, FrameMover mover) {
    this.connection = connection;
    this.mover = mover;
    matching = receiving == null ? null : receiving.matching();
    sharing = receiving == null ? null : receiving.sharing();
    this.remote = remote;
  }

  @Override
  public @Nullable Arrival begin(FrameHeader header) throws ProtocolException {
    boolean payload = header.payload() != 0;
    switch (header.operation()) {
      case FrameHeader.MESSAGE, FrameHeader.TAGGED -> {
        connection.credit().came(header.size());
        return beginMessage(header);
      }
      case FrameHeader.READY_TO_SEND -> {
        if (connection.isAnnouncing() && announced.isUnused(header.number())) {
          return beginMessage(header);
        }
      }
      case FrameHeader.CLEAR_TO_SEND -> {
        if (connection.isAnnouncing() && !payload) {
          connection.writer().cleared(header.number());
          return Arrival.NOWHERE;
        }
      }
      case FrameHeader.ANNOUNCED -> {
        return beginAnnounced(header);
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
        return answered(header);
      }
      default -> {
        // Refused below.
      }
    }
    throw refused();
  }

  private static ProtocolException refused() {
    return new ProtocolException("a frame came that this endpoint does not take");
  }

  /** Where a message goes, or a ready to send for one. */
  private @Nullable Arrival beginMessage(FrameHeader header) throws ProtocolException {
    Peer from = connection.peer;
    Matching messages = matching;
    if (from == null || messages == null) {
      throw refused();
    }
    ReceiveContext into = messages.context(DeliveryWord.receiveContext(header.word()));
    Arrival to = messages.begin(connection, from, header, into, sharing);
    if (to == null) {
      mover.full(() -> messages.full(connection));
    }
    return to;
  }

  /** Where the bytes of an announced message go. */
  private ReadyToSend beginAnnounced(FrameHeader header) throws ProtocolException {
    ReadyToSend ready = announced.at(header.number());
    if (ready == null || ready.target() == null || ready.length != header.payload()) {
      throw new ProtocolException("a message came as announced that was not asked for");
    }
    announced.remove(header.number());
    return ready;
  }

  /** The read that an answer is for, which says where its bytes go. */
  private Send answered(FrameHeader header) throws ProtocolException {
    Send read = connection.writer().firstUnanswered();
    if (read == null || read.message.length() != header.payload()) {
      throw new ProtocolException("an answer came that no read waits for");
    }
    connection.writer().pollUnanswered();
    return read;
  }

  @Override
  public void whole(FrameHeader header, Arrival arrival) {
    Matching messages = matching;
    if (header.operation() == FrameHeader.READY_TO_SEND && messages != null) {
      announced.put(header.number(), messages.announced(connection, header, arrival));
      return;
    }
    switch (arrival) {
      case ReadyToSend ready -> {
        if (ready.acknowledged) {
          connection.writer().acknowledge();
        }
        Peer from = connection.peer;
        if (from != null && messages != null) {
          messages.arrived(from, ready);
          messages.room().tell(connection, from);
        }
      }
      case Send read -> read.whole(header);
      case ReadAnswer answer -> answer.whole(header);
      case RemoteWrite write -> write.whole(header);
      default -> {
        if ((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0) {
          connection.writer().acknowledge();
        }
        Peer from = connection.peer;
        if (from != null && messages != null) {
          messages.whole(from, header, arrival);
          messages.room().tell(connection, from);
        }
      }
    }
  }

  @Override
  public void acknowledged(FrameHeader header) throws ProtocolException {
    connection.writer().acknowledged(header);
  }

  @Override
  public void signal(FrameHeader header) throws IOException {
    connection.closing.came(header);
  }

  @Override
  public void unusable(Arrival arrival, Throwable failed) throws ProtocolException {
    switch (arrival) {
      case Send read -> read.unusable(failed);
      case ReadyToSend ready -> {
        Arrival to = ready.target();
        if (to != null && matching != null) {
          matching.unusable(to, failed);
        }
        if (ready.acknowledged) {
          // Acknowledging it would be a lie, and acknowledgements count by their order alone.
          throw new ProtocolException("a message that was to be acknowledged could not be kept");
        }
      }
      case RemoteWrite write -> write.unusable(failed);
      default -> {
        if (matching != null) {
          matching.unusable(arrival, failed);
        }
      }
    }
  }

  @Override
  public void brokeOff(Arrival arrival) {
    switch (arrival) {
      case Send read -> read.brokeOff();
      case ReadAnswer answer -> answer.brokeOff();
      case ReadyToSend ready -> {
        Arrival to = ready.target();
        if (to != null && matching != null) {
          matching.brokeOff(to);
        }
      }
      case RemoteWrite write -> write.brokeOff();
      default -> {
        if (matching != null) {
          matching.brokeOff(arrival);
        }
      }
    }
  }

  @Override
  public void redirect(Predicate<Arrival> chosen, Arrival elsewhere) {
    announced.forEach(ready -> {
      if (chosen.test(ready)) {
        ready.redirect(elsewhere);
      }
    });
  }

  @Override
  public boolean isAtRest() {
    return announced.isEmpty();
  }

  @Override
  public void dropped() {
    remote.dropped(connection);
    Matching messages = matching;
    if (messages != null) {
      announced.removeAll(messages::lose);
      messages.dropped(connection);
    }
  }
}
