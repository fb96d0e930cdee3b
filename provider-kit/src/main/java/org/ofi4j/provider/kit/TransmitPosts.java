// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CounterFlag;
import org.ofi4j.OutgoingRequest;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.WriteRequest;

/**
 * Sends, reads and writes of an endpoint, from the call of the application to the {@link
 * Transmitter}: checks what is asked for, takes an operation, fills it in and posts it. Each call
 * answers false if as many operations are under way as there may be. Any thread may call.
 */
final class TransmitPosts {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();

  private final KitEndpoint endpoint;
  private final PostedPieces pieces;
  private final int dataSize;

  TransmitPosts(KitEndpoint endpoint) {
    this.endpoint = endpoint;
    pieces = new PostedPieces(endpoint.endpointDomain(), endpoint.info());
    dataSize = endpoint.endpointDomain().transport().dataSize();
  }

  boolean send(OutgoingRequest<?> request, boolean tagged, long tag) {
    return send(
        required(request, "request").memory(),
        request.parts(),
        request.data(),
        request.destination(),
        tagged,
        tag,
        request.context(),
        request.flags(),
        false);
  }

  boolean send(MemorySegment message, long destination, @Nullable Object context) {
    return send(message, null, 0, destination, false, 0, context, 0, false);
  }

  boolean inject(OutgoingRequest<?> request, boolean tagged, long tag) {
    if (required(request, "request").parts() != null) {
      throw invalid("several parts are not injected: name one piece of memory, or send them");
    }
    long flags = (request.flags() & DATA) | INJECT;
    long destination = request.destination();
    return send(
        request.memory(), null, request.data(), destination, tagged, tag, null, flags, true);
  }

  boolean inject(MemorySegment message, long destination) {
    return send(message, null, 0, destination, false, 0, null, INJECT, true);
  }

  /**
   * Sends a message in one piece, or in several if there are parts.
   *
   * @param injected whether the memory may change at once, and no success is reported
   */
  private boolean send(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      boolean tagged,
      long tag,
      @Nullable Object context,
      long flags,
      boolean injected) {
    Transmitter to = endpoint.sends();
    checkData(data, flags);
    if (!injected) {
      KitEndpoint.checkFlags(flags, to.flags(CounterFlag.SEND), "send");
    }
    pieces.checkReadable(message, parts, (flags & INJECT) != 0, "message");
    to.lock();
    try {
      Operation send = to.take(CounterFlag.SEND, tagged, destination);
      if (send == null) {
        return false;
      }
      send.tag = tag;
      send.silent = injected;
      post(to, send, message, parts, data, destination, context, flags);
      return true;
    } finally {
      to.unlock();
    }
  }

  boolean read(MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    return access(CounterFlag.READ, into, null, 0, source, null, place, 0, context, 0, false);
  }

  boolean read(ReadRequest request) {
    return access(
        CounterFlag.READ,
        required(request, "request").memory(),
        request.parts(),
        0,
        request.source(),
        request.places(),
        request.place(),
        request.offset(),
        request.context(),
        request.flags(),
        false);
  }

  boolean write(MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return access(CounterFlag.WRITE, from, null, 0, destination, null, place, 0, context, 0, false);
  }

  boolean write(WriteRequest request) {
    required(request, "request");
    return write(request, request.parts(), request.context(), request.flags(), false);
  }

  boolean injectWrite(MemorySegment from, long destination, RemotePlace place) {
    return access(
        CounterFlag.WRITE, from, null, 0, destination, null, place, 0, null, INJECT, true);
  }

  boolean injectWrite(WriteRequest request) {
    if (required(request, "request").parts() != null || request.place() == null) {
      throw invalid("one piece of memory is injected into one place: name them, or write");
    }
    return write(request, null, null, (request.flags() & DATA) | INJECT, true);
  }

  private boolean write(
      WriteRequest request,
      MemorySegment @Nullable [] parts,
      @Nullable Object context,
      long flags,
      boolean injected) {
    return access(
        CounterFlag.WRITE,
        request.memory(),
        parts,
        request.data(),
        request.destination(),
        request.places(),
        request.place(),
        request.offset(),
        context,
        flags,
        injected);
  }

  /** Reads or writes memory of a peer: one place, or several if there are any. */
  private boolean access(
      CounterFlag what,
      MemorySegment memory,
      MemorySegment @Nullable [] parts,
      long data,
      long peer,
      RemotePlace @Nullable [] several,
      @Nullable RemotePlace place,
      long offset,
      @Nullable Object context,
      long flags,
      boolean injected) {
    boolean writes = what == CounterFlag.WRITE;
    Transmitter to = endpoint.accesses(writes ? Capability.WRITE : Capability.READ);
    if (writes) {
      checkData(data, flags);
    }
    KitEndpoint.checkFlags(flags, to.flags(what), writes ? "write" : "read");
    long length =
        writes
            ? pieces.checkReadable(memory, parts, (flags & INJECT) != 0, "message")
            : pieces.checkWritable(memory, parts, "into");
    RemotePlace[] places = null;
    if (several == null) {
      ReachedPlaces.checkRoom(length, place, offset);
    } else {
      places = ReachedPlaces.several(several, length, endpoint.info().transmit().rmaIovLimit());
    }
    to.lock();
    try {
      Operation access = to.take(what, false, peer);
      if (access == null) {
        return false;
      }
      access.silent = injected;
      access.places = places;
      if (place != null) {
        access.remoteAddress = place.address() + offset;
        access.remoteKey = place.key();
      }
      post(to, access, memory, parts, data, peer, context, flags);
      return true;
    } finally {
      to.unlock();
    }
  }

  private static void post(
      Transmitter to,
      Operation taken,
      MemorySegment memory,
      MemorySegment @Nullable [] parts,
      long data,
      long peer,
      @Nullable Object context,
      long flags) {
    taken.memory.set(memory, parts);
    taken.data = data;
    taken.peer = peer;
    taken.context = context;
    taken.flags = flags;
    taken.inject = (flags & INJECT) != 0;
    taken.asked = (flags & COMPLETION) != 0;
    to.post(taken);
  }

  /** Refuses immediate data that the fabric does not carry. */
  private void checkData(long data, long flags) {
    if ((flags & DATA) == 0) {
      return;
    }
    if (dataSize == 0) {
      throw unsupported(endpoint.domain() + " carries no immediate data: put it into the message");
    }
    if (dataSize < Long.BYTES && data >>> (Byte.SIZE * dataSize) != 0) {
      throw invalid(
          "data 0x%x: %s carries %s bytes of it".formatted(data, endpoint.domain(), dataSize));
    }
  }
}
