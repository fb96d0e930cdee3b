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
        request.flags());
  }

  /** Sends a message in one piece, or in several if there are parts. */
  boolean send(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      boolean tagged,
      long tag,
      @Nullable Object context,
      long flags) {
    Transmitter to = endpoint.sends();
    checkData(data, flags);
    KitEndpoint.checkFlags(flags, to.flags(CounterFlag.SEND), "send");
    pieces.checkReadable(message, parts, (flags & INJECT) != 0, "message");
    to.lock();
    try {
      Operation send = to.take(CounterFlag.SEND, tagged, destination);
      if (send == null) {
        return false;
      }
      send.tag = tag;
      post(to, send, message, parts, data, destination, context, flags);
      return true;
    } finally {
      to.unlock();
    }
  }

  boolean inject(OutgoingRequest<?> request, boolean tagged, long tag) {
    if (required(request, "request").parts() != null) {
      throw invalid("several parts are not injected: name one piece of memory, or send them");
    }
    return inject(
        request.memory(),
        request.data(),
        request.destination(),
        tagged,
        tag,
        request.flags() & DATA);
  }

  /** Sends a message whose memory may change at once, and of which no success is reported. */
  boolean inject(
      MemorySegment message, long data, long destination, boolean tagged, long tag, long flags) {
    Transmitter to = endpoint.sends();
    pieces.checkReadable(message, null, true, "message");
    checkData(data, flags);
    to.lock();
    try {
      Operation send = to.take(CounterFlag.SEND, tagged, destination);
      if (send == null) {
        return false;
      }
      send.tag = tag;
      send.silent = true;
      post(to, send, message, null, data, destination, null, flags | INJECT);
      return true;
    } finally {
      to.unlock();
    }
  }

  boolean read(MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    Transmitter to = endpoint.accesses(Capability.READ);
    pieces.checkWritable(into, null, "into");
    ReachedPlaces.checkRoom(into.byteSize(), place, 0);
    to.lock();
    try {
      Operation read = to.take(CounterFlag.READ, false, source);
      if (read == null) {
        return false;
      }
      reach(read, null, place, 0);
      post(to, read, into, null, 0, source, context, 0);
      return true;
    } finally {
      to.unlock();
    }
  }

  boolean read(ReadRequest request) {
    Transmitter to = endpoint.accesses(Capability.READ);
    long flags = required(request, "request").flags();
    KitEndpoint.checkFlags(flags, to.flags(CounterFlag.READ), "read");
    MemorySegment[] parts = request.parts();
    long length = pieces.checkWritable(request.memory(), parts, "into");
    RemotePlace[] places = places(length, request.places(), request.place(), request.offset());
    to.lock();
    try {
      Operation read = to.take(CounterFlag.READ, false, request.source());
      if (read == null) {
        return false;
      }
      reach(read, places, request.place(), request.offset());
      post(to, read, request.memory(), parts, 0, request.source(), request.context(), flags);
      return true;
    } finally {
      to.unlock();
    }
  }

  boolean write(MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return write(from, null, 0, destination, null, place, 0, context, 0, false);
  }

  boolean write(WriteRequest request) {
    return write(
        required(request, "request").memory(),
        request.parts(),
        request.data(),
        request.destination(),
        request.places(),
        request.place(),
        request.offset(),
        request.context(),
        request.flags(),
        false);
  }

  boolean injectWrite(MemorySegment from, long destination, RemotePlace place) {
    return write(from, null, 0, destination, null, place, 0, null, INJECT, true);
  }

  boolean injectWrite(WriteRequest request) {
    if (required(request, "request").parts() != null || request.place() == null) {
      throw invalid("one piece of memory is injected into one place: name them, or write");
    }
    return write(
        request.memory(),
        null,
        request.data(),
        request.destination(),
        null,
        request.place(),
        request.offset(),
        null,
        (request.flags() & DATA) | INJECT,
        true);
  }

  private boolean write(
      MemorySegment from,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      RemotePlace @Nullable [] several,
      @Nullable RemotePlace place,
      long offset,
      @Nullable Object context,
      long flags,
      boolean silent) {
    Transmitter to = endpoint.accesses(Capability.WRITE);
    checkData(data, flags);
    KitEndpoint.checkFlags(flags, to.flags(CounterFlag.WRITE), "write");
    long length = pieces.checkReadable(from, parts, (flags & INJECT) != 0, "message");
    RemotePlace[] places = places(length, several, place, offset);
    to.lock();
    try {
      Operation write = to.take(CounterFlag.WRITE, false, destination);
      if (write == null) {
        return false;
      }
      write.silent = silent;
      reach(write, places, place, offset);
      post(to, write, from, parts, data, destination, context, flags);
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

  /** Returns the places that a request reaches, to be kept; null if it is one place. */
  private RemotePlace @Nullable [] places(
      long bytes, RemotePlace @Nullable [] several, @Nullable RemotePlace one, long offset) {
    if (several == null) {
      ReachedPlaces.checkRoom(bytes, one, offset);
      return null;
    }
    return ReachedPlaces.several(several, bytes, endpoint.info().transmit().rmaIovLimit());
  }

  private static void reach(
      Operation access, RemotePlace @Nullable [] several, @Nullable RemotePlace one, long offset) {
    access.places = several;
    if (one != null) {
      access.remoteAddress = one.address() + offset;
      access.remoteKey = one.key();
    }
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
