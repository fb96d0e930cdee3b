// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.IncomingRequest;
import org.ofi4j.OutgoingRequest;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.BoundEndpoint;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.SearchFlags;

/**
 * Posts messages and receives: the checks of what the application says, and what follows from it.
 * Each call answers false if all operations are under way. Holds nothing that changes; any thread
 * may use it.
 */
final class NativePosts {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long SEVERAL = TransferFlag.MULTI_RECEIVE.mask();
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long LEVELS =
      Flag.maskOf(
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  /** Of what nothing is reported if it succeeds; no flag of libfabric's. */
  private static final long SILENT = Long.MIN_VALUE;

  private static final long SEND =
      Flag.maskOf(
              TransferFlag.REMOTE_CQ_DATA,
              TransferFlag.MORE,
              TransferFlag.COMPLETION,
              TransferFlag.INJECT)
          | LEVELS;
  private static final long RECEIVE =
      Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE) | SearchFlags.ALL;

  private final NativeMessageEndpoint endpoint;
  private final boolean tagged;
  private final DirectedReceives directed;

  NativePosts(NativeMessageEndpoint endpoint, boolean tagged) {
    this.endpoint = endpoint;
    this.tagged = tagged;
    directed = DirectedReceives.of(endpoint.info());
  }

  /** Posts what a request says, but for the tag. */
  boolean send(OutgoingRequest<?> request, long tag) {
    required(request, "request");
    return send(
        request.memory(),
        request.parts(),
        request.data(),
        request.destination(),
        tag,
        request.context(),
        request.flags());
  }

  /** Posts a message in one piece, or in several if there are parts. */
  boolean send(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    NativeTraffic traffic = endpoint.sending();
    BoundEndpoint.checkFlags(flags, SEND, "send");
    Pieces.checkCount(parts);
    Pieces.checkReadable(message, parts);
    checkLength(traffic, Pieces.length(message, parts), (flags & INJECT) != 0);
    endpoint.checkData(data, flags);
    long asked = flags & (DATA | LEVELS | INJECT);
    boolean silent = endpoint.selectiveTransmits() && (flags & COMPLETION) == 0;
    return post(message, parts, data, destination, tag, context, silent ? asked | SILENT : asked);
  }

  private static void checkLength(NativeTraffic traffic, long length, boolean inject) {
    if (inject) {
      PostedMemory.checkLength("injected message", length, traffic.sizes().inject());
    }
    PostedMemory.checkLength("message", length, traffic.sizes().maxMessage());
  }

  /** Injects what a request says, but for the tag. */
  boolean inject(OutgoingRequest<?> request, long tag) {
    if (required(request, "request").parts() != null) {
      throw invalid("several parts are not injected: name one piece of memory, or send them");
    }
    endpoint.checkData(request.data(), request.flags());
    return inject(
        request.memory(), request.data(), request.destination(), tag, request.flags() & DATA);
  }

  /** Posts a message that is copied, and of which nothing is reported. */
  boolean inject(MemorySegment message, long data, long destination, long tag, long flags) {
    NativeTraffic traffic = endpoint.sending();
    Pieces.checkReadable(message, null);
    checkLength(traffic, message.byteSize(), true);
    return post(message, null, data, destination, tag, null, flags | INJECT | SILENT);
  }

  private boolean post(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    NativeTraffic traffic = endpoint.ready();
    traffic.lock();
    try {
      Operation send = traffic.takeTransmit(CounterFlag.SEND, destination);
      if (send == null) {
        return false;
      }
      try {
        traffic.memory().fill(send, message, parts, (flags & INJECT) != 0);
        send.tagged = tagged;
        send.tag = tag;
        send.data = data;
        send.context = context;
        send.flags = flags & ~(INJECT | SILENT);
        send.silent = (flags & SILENT) != 0;
        traffic.postTransmit(send);
      } catch (RuntimeException | Error refused) {
        traffic.giveBack(send);
        throw refused;
      }
      return true;
    } finally {
      traffic.unlock();
    }
  }

  /** Posts what a request says. */
  boolean receive(IncomingRequest<?> request, long tag, long ignore) {
    required(request, "request");
    return receive(
        request.memory(),
        request.parts(),
        request.source(),
        tag,
        ignore,
        request.context(),
        request.flags());
  }

  /**
   * Posts a receive.
   *
   * @param buffer takes the message
   * @param parts take it instead, one after the other, if there are any
   * @param source the handle of the only sender, if receives look at that
   * @param tag of the messages that it takes, but for the bits to ignore
   */
  boolean receive(
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    NativeTraffic traffic = endpoint.receiving();
    boolean several = !tagged && parts == null && endpoint.takesSeveral();
    BoundEndpoint.checkFlags(flags, RECEIVE | (several ? SEVERAL : 0), "receive");
    Pieces.checkCount(parts);
    if ((flags & SearchFlags.ALL) != 0) {
      endpoint.checkSearch(context, flags, tagged);
    }
    boolean unused = SearchFlags.leavesMemory(flags);
    if (!unused) {
      Pieces.checkWritable(buffer, parts, "buffer", endpoint.mover());
    }
    boolean names = directed.isDirected(tagged, source == Handles.UNSPECIFIED);
    traffic.lock();
    try {
      if ((flags & CLAIM) != 0 && (flags & PEEK) == 0) {
        return claim(traffic, buffer, parts, context, flags);
      }
      if ((flags & CLAIM) != 0) {
        traffic.claims.checkRoom();
      }
      Operation receive = traffic.takeReceive();
      if (receive == null) {
        return false;
      }
      try {
        if (names) {
          traffic.peers.direct(receive, source);
        }
        if (!unused) {
          // More than a message has is refused by some fabrics.
          long most = (flags & SEVERAL) == 0 ? traffic.sizes().maxMessage() : Long.MAX_VALUE;
          traffic.memory().reserve(receive, buffer, parts, most);
        }
        receive.tagged = tagged;
        receive.tag = tag;
        receive.ignore = ignore;
        receive.context = context;
        note(receive, flags);
        return traffic.postReceive(receive);
      } catch (RuntimeException | Error refused) {
        traffic.giveBack(receive);
        throw refused;
      }
    } finally {
      traffic.unlock();
      if ((flags & SearchFlags.ALL) != 0) {
        // It has ended already, and not all fabrics tell those who wait.
        traffic.bindings.wake();
      }
    }
  }

  /** Takes or drops the message that was put aside for a context, with the lock held. */
  private boolean claim(
      NativeTraffic traffic,
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      @Nullable Object context,
      long flags) {
    if (traffic.isFullOfReceives()) {
      return false;
    }
    Operation receive = traffic.claims.take(context);
    if (receive == null) {
      receive = Objects.requireNonNull(traffic.takeReceive());
      receive.tagged = true;
      receive.context = context;
      traffic.withdrawals.end(receive, Claims.none());
      return true;
    }
    try {
      if (!SearchFlags.leavesMemory(flags)) {
        traffic.memory().reserve(receive, buffer, parts, traffic.sizes().maxMessage());
      }
      note(receive, flags);
      return traffic.claims.post(receive);
    } catch (RuntimeException | Error refused) {
      traffic.claims.putBack(receive);
      throw refused;
    }
  }

  private void note(Operation receive, long flags) {
    receive.flags = flags & (SEVERAL | SearchFlags.ALL);
    receive.silent = endpoint.selectiveReceives() && (flags & COMPLETION) == 0;
  }
}
