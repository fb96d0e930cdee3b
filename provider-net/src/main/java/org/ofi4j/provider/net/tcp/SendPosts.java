// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.OutgoingRequest;
import org.ofi4j.provider.kit.BoundEndpoint;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * Posts messages of one kind: the checks of what the application says, and what follows from it.
 * Each call answers false if all sends are under way. Holds nothing that changes; any thread may
 * use it.
 */
final class SendPosts {
  private final TransmitPoint point;
  private final int operation;

  /**
   * For those who send through a point.
   *
   * @param operation what the frames are, {@link FrameHeader#MESSAGE} or {@link FrameHeader#TAGGED}
   */
  SendPosts(TransmitPoint point, int operation) {
    this.point = point;
    this.operation = operation;
  }

  /** Posts what a request says, but for the tag. */
  boolean post(OutgoingRequest<?> request, long tag) {
    required(request, "request");
    MemorySegment[] parts = request.parts();
    if (parts != null) {
      PostedPieces.checkCount(parts);
    }
    return post(
        request.memory(),
        parts,
        request.data(),
        request.destination(),
        tag,
        request.context(),
        request.flags());
  }

  /** Posts a message in one piece, or in several if there are parts. */
  boolean post(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    MessageTraffic traffic = point.ready();
    BoundEndpoint.checkFlags(flags, TcpFlags.SEND, "send");
    TransmitContext from = point.sends();
    PostedPieces.check(message, parts, (flags & TcpFlags.INJECT) != 0, point.mover());
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send send = from.take(operation);
      if (send == null) {
        return false;
      }
      send.set(message, parts, TcpFlags.ofFrame(flags), data, tag);
      TcpFlags.note(send, context, flags);
      send.departure = TcpFlags.departure(from, flags);
      traffic.post(send, peer, destination);
      return true;
    } finally {
      traffic.unlock();
    }
  }

  /** Injects what a request says, but for the tag. */
  boolean inject(OutgoingRequest<?> request, long tag) {
    if (required(request, "request").parts() != null) {
      throw invalid("several parts are not injected: name one piece of memory, or send them");
    }
    int frameFlags = request.hasData() ? FrameHeader.HAS_DATA : 0;
    return inject(request.memory(), frameFlags, request.data(), request.destination(), tag);
  }

  /** Posts a message whose memory may change at once, and of which nothing is reported. */
  boolean inject(MemorySegment message, int frameFlags, long data, long destination, long tag) {
    MessageTraffic traffic = point.ready();
    TransmitContext from = point.sends();
    PostedPieces.check(message, null, true, point.mover());
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send send = from.take(operation);
      if (send == null) {
        return false;
      }
      send.set(message, null, frameFlags, data, tag);
      TcpFlags.noteInjected(send);
      traffic.post(send, peer, destination);
      return true;
    } finally {
      traffic.unlock();
    }
  }
}
