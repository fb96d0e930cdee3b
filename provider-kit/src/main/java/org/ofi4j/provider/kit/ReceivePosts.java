// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.IncomingRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TransferFlag;

/**
 * Receives of an endpoint or of a shared context, from the call of the application to the {@link
 * Receiver}: checks what is asked for, takes an operation, fills it in and posts it. Each call
 * answers false if as many receives are posted as there may be. Any thread may call.
 */
final class ReceivePosts {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();
  private static final long AUTH_KEY = TransferFlag.AUTH_KEY.mask();

  private final Supplier<Receiver> receivers;
  private final PostedPieces pieces;
  private final DirectedReceives directed;
  private final boolean keyed;
  private final boolean takesSeveral;

  /**
   * Receives that are posted to one receiver.
   *
   * @param keyed whether receives can be directed at an authorization key
   * @param receivers returns the receiver; throws if there is none, or it is closed
   */
  ReceivePosts(
      EndpointDomain domain, FabricInfo info, boolean keyed, Supplier<Receiver> receivers) {
    this.receivers = receivers;
    this.keyed = keyed;
    pieces = new PostedPieces(domain, info);
    directed = DirectedReceives.of(info);
    takesSeveral = info.has(Capability.MULTI_RECEIVE);
  }

  boolean post(MemorySegment buffer, @Nullable Object context) {
    return post(buffer, null, Handles.UNSPECIFIED, false, 0, 0, context, 0);
  }

  boolean post(MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    long tag = required(pattern, "pattern").tag();
    return post(buffer, null, Handles.UNSPECIFIED, true, tag, pattern.ignored(), context, 0);
  }

  boolean post(IncomingRequest<?> request, boolean tagged, long tag, long ignore) {
    return post(
        request.memory(),
        request.parts(),
        request.source(),
        tagged,
        tag,
        ignore,
        request.context(),
        request.flags());
  }

  private boolean post(
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      long source,
      boolean tagged,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    Receiver to = receivers.get();
    checkFlags(to, parts != null, tagged, flags);
    SearchFlags.check(context, flags);
    boolean unused = SearchFlags.leavesMemory(flags);
    if (!unused) {
      pieces.checkWritable(buffer, parts, "buffer");
    } else if (parts != null) {
      pieces.checkCount(parts);
    }
    to.lock();
    try {
      boolean only = false;
      if ((flags & AUTH_KEY) != 0) {
        directed.checkKey(tagged);
      } else {
        only = directed.isDirected(tagged, to.isAnySource(source));
      }
      Operation receive = to.take(tagged, source, only, flags, context);
      if (receive == null) {
        return false;
      }
      if (!unused) {
        receive.memory.set(buffer, parts);
      }
      receive.peer = source;
      receive.tag = tag;
      receive.ignore = ignore;
      receive.context = context;
      receive.flags = flags;
      receive.asked = (flags & COMPLETION) != 0;
      return to.post(receive);
    } finally {
      to.unlock();
    }
  }

  private void checkFlags(Receiver to, boolean inParts, boolean tagged, long flags) {
    long known =
        to.flags()
            | (keyed ? AUTH_KEY : 0)
            | (takesSeveral && !tagged && !inParts ? MULTI_RECEIVE : 0);
    long unknown = flags & ~known;
    if (unknown != 0) {
      String kind = tagged ? "tagged receive" : inParts ? "receive into several parts" : "receive";
      throw badFlags(unknown, " mean nothing to a " + kind);
    }
  }

  boolean cancel(@Nullable Object context) {
    Receiver of = receivers.get();
    of.lock();
    try {
      return of.cancel(context);
    } finally {
      of.unlock();
    }
  }
}
