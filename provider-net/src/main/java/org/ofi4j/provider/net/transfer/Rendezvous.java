// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * The messages of one connection that wait until the peer has a receive for them, which is called
 * rendezvous: large ones, and those for which the peer has no space. They are announced; others go
 * out at once. For one thread at a time.
 */
final class Rendezvous extends AnnouncedMessages<Send> {
  private final SharedBounds bounds;

  private boolean announcing;
  private boolean toOfi4j;

  // Bytes of messages that went out without being announced, the same with those that are encoded,
  // and how many may.
  private long eager;
  private long encoded;
  private long room = Long.MAX_VALUE;

  /**
   * Nothing is announced yet.
   *
   * @param bounds say which messages are large
   */
  Rendezvous(SharedBounds bounds) {
    this.bounds = bounds;
  }

  void open(boolean isAnnouncing, boolean isOfi4j) {
    announcing = isAnnouncing;
    toOfi4j = isOfi4j;
  }

  void room(long bytes) {
    room = bytes;
  }

  /** Nothing is encoded that is not out. */
  void beginWrite() {
    encoded = eager;
  }

  /**
   * A frame is about to be encoded: a message that must not go out at once is announced instead.
   *
   * @return false if it must wait, because too many are announced
   */
  boolean encode(Send send) {
    if (send.operation == FrameHeader.TAGGED
        && announcing
        && (send.payload > bounds.announced(toOfi4j) || send.total() > room - encoded)) {
      int number = unused();
      if (number == 0) {
        return false;
      }
      send.announce(number);
      put(number, send);
    }
    encoded += eager(send);
    return true;
  }

  /** It could not be encoded. */
  void failed(Send send) {
    encoded -= eager(send);
  }

  /** The first byte of it is out. */
  void begun(Send send) {
    eager += eager(send);
  }

  private static long eager(Send send) {
    return send.isEager() ? send.total() : 0;
  }

  /** All of it is out. */
  void ended(Send send) {
    if (send.isAnnounced()) {
      remove(send.number());
    }
  }

  /** It is not to be sent any more. */
  void withdraw(Send send) {
    if (send.number() > 0) {
      remove(send.number());
    }
  }

  /** The message that the peer wants now. */
  Send cleared(int number) throws ProtocolException {
    Send send = at(number);
    if (send == null || !send.isReadyToSend() || send.sent < send.total()) {
      throw new ProtocolException("a clear to send came for a message that was not announced");
    }
    send.cleared();
    return send;
  }
}
