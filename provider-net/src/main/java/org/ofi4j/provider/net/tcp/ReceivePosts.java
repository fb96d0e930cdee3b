// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.IncomingRequest;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.kit.SearchFlags;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.Sender;

/**
 * Posts buffers for messages of one kind, or for several ones, or asks for one that has come: the
 * checks of what the application says, and what follows from it. Holds nothing that changes; any
 * thread may use it.
 */
final class ReceivePosts {
  private static final long CLAIM = TransferFlag.CLAIM.mask();

  private final boolean tagged;
  private final EndpointDomain domain;
  private final Supplier<? extends ReceivePoint> points;
  private final Supplier<ReceiveContext> contexts;
  private final DirectedReceives directed;
  private final long common;
  private final long whole;

  /**
   * For those who post to something that was opened with some information.
   *
   * @param keyed whether there are authorization keys that receives may name
   * @param points where receives are posted; throws if that cannot be yet
   * @param contexts what they are posted to; throws if there is nothing
   */
  ReceivePosts(
      boolean tagged,
      EndpointDomain domain,
      FabricInfo info,
      boolean keyed,
      Supplier<? extends ReceivePoint> points,
      Supplier<ReceiveContext> contexts) {
    this.tagged = tagged;
    this.domain = domain;
    this.points = points;
    this.contexts = contexts;
    directed = DirectedReceives.of(info);
    common = TcpFlags.RECEIVE | (keyed ? TcpFlags.AUTH_KEY : 0);
    boolean several = !tagged && info.has(Capability.MULTI_RECEIVE);
    whole = common | (several ? TcpFlags.MULTI_RECEIVE : 0);
  }

  boolean post(MemorySegment buffer, @Nullable Object context) {
    return post(buffer, null, Handles.UNSPECIFIED, 0, 0, context, 0);
  }

  boolean post(MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    required(pattern, "pattern");
    return post(buffer, null, Handles.UNSPECIFIED, pattern.tag(), pattern.ignored(), context, 0);
  }

  boolean post(ReceiveRequest request) {
    return post(request, 0, 0);
  }

  boolean post(TaggedReceiveRequest request) {
    required(request, "request");
    return post(request, request.tag(), request.ignored());
  }

  private boolean post(IncomingRequest<?> request, long tag, long ignore) {
    MemorySegment[] parts = required(request, "request").parts();
    if (parts != null) {
      PostedPieces.checkCount(parts);
    }
    return post(
        request.memory(), parts, request.source(), tag, ignore, request.context(), request.flags());
  }

  /**
   * Posts a receive; refuses memory that cannot be written to, and flags that make no sense. False
   * if all receives are posted.
   *
   * @param buffer takes the message
   * @param parts take it instead, one after the other, if there are any
   * @param tag of the messages that it takes, but for the bits to ignore
   */
  boolean post(
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    ReceivePoint at = points.get();
    checkFlags(parts, flags);
    ReceiveContext into = contexts.get();
    Thread mover = domain.mover();
    SearchFlags.check(context, flags);
    boolean unused = SearchFlags.leavesMemory(flags);
    if (!unused) {
      PostedPieces.checkWritable(buffer, parts, "buffer", mover);
    }
    at.lock();
    try {
      Receive receive = take(at, into, source, flags);
      if (receive == null) {
        return false;
      }
      if (!unused) {
        receive.set(buffer, parts);
      }
      receive.match(tag, ignore);
      post(at, receive, context, flags);
      return true;
    } finally {
      at.unlock();
    }
  }

  private void checkFlags(MemorySegment @Nullable [] parts, long flags) {
    long unknown = flags & ~(parts == null ? whole : common);
    if (unknown != 0) {
      String kind = parts == null ? "receive" : "receive into several parts";
      throw badFlags(unknown, " mean nothing to a " + (tagged ? "tagged receive" : kind));
    }
  }

  /**
   * Takes a receive to be filled in, with the lock held.
   *
   * @param source the handle of the only sender, or with flag {@code AUTH_KEY} of the key of the
   *     only senders; {@link Handles#UNSPECIFIED} or {@link Handles#anySourceInGroup}
   * @param flags bits of {@link TransferFlag}
   */
  private @Nullable Receive take(ReceivePoint at, ReceiveContext into, long source, long flags) {
    int group = at.wantedGroup(source);
    long generation = Receive.UNDIRECTED;
    Sender sender = null;
    int authKey = TransferPeers.NO_AUTH_KEY;
    if ((flags & TcpFlags.AUTH_KEY) != 0) {
      directed.checkKey(tagged);
      authKey = at.authKey(source);
    } else if (directed.isDirected(tagged, at.isAnySource(source))) {
      generation = at.generation(source);
      sender = at.sender(source, generation);
    }
    Receive receive = into.take(tagged);
    if (receive == null) {
      return null;
    }
    receive.direct(source, generation, sender);
    receive.key.group = group;
    if (authKey != TransferPeers.NO_AUTH_KEY) {
      receive.directAtKey(authKey);
    }
    receive.unasked = TcpFlags.isUnasked(flags);
    receive.silent = receive.unasked && into.isSelective();
    receive.several = (flags & TcpFlags.MULTI_RECEIVE) != 0;
    return receive;
  }

  private static void post(ReceivePoint at, Receive filled, @Nullable Object context, long flags) {
    Matching matching = at.matching();
    filled.context = context;
    if ((flags & TcpFlags.PEEK) != 0) {
      matching.peek(filled, (flags & CLAIM) != 0, (flags & TcpFlags.DISCARD) != 0);
    } else if ((flags & CLAIM) != 0) {
      filled.claims = true;
      matching.claim(filled, (flags & TcpFlags.DISCARD) != 0);
    } else {
      matching.post(filled);
    }
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  static boolean cancel(ReceivePoint at, ReceiveContext from, @Nullable Object context) {
    at.lock();
    try {
      return from.cancel(context);
    } finally {
      at.unlock();
    }
  }

  /** How much of a buffer for several messages must be left for it to take another one. */
  static void minMultiReceive(ReceivePoint at, ReceiveContext into, long bytes) {
    at.lock();
    try {
      into.minMultiReceive = bytes;
    } finally {
      at.unlock();
    }
  }
}
