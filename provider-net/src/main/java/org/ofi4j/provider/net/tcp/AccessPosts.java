// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.kit.BoundEndpoint;
import org.ofi4j.provider.kit.ReachedPlaces;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Posts reads and writes of peers' memory: the checks of what the application says, and what
 * follows from it. Each call answers false if all operations are under way. Holds nothing that
 * changes; any thread may use it.
 */
final class AccessPosts {
  private static final RemotePlace[] ONE_PLACE = {};

  private final TransmitPoint point;

  AccessPosts(TransmitPoint point) {
    this.point = point;
  }

  boolean read(MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    MessageTraffic traffic = point.ready();
    TransmitContext from = point.accesses(Capability.READ);
    PostedPieces.checkWritable(into, null, "into", point.mover());
    ReachedPlaces.checkRoom(into.byteSize(), place, 0);
    traffic.lock();
    try {
      Peer peer = traffic.target(source);
      Send read = from.take(FrameHeader.READ_REQUEST);
      if (read == null) {
        return false;
      }
      read.set(into, null, 0, 0, 0);
      read.reach(place.address(), place.key(), null);
      TcpFlags.note(read, context, 0);
      traffic.access(read, peer, source);
      return true;
    } finally {
      traffic.unlock();
    }
  }

  boolean read(ReadRequest request) {
    required(request, "request");
    MessageTraffic traffic = point.ready();
    MemorySegment[] parts = request.parts();
    long flags = request.flags();
    BoundEndpoint.checkFlags(flags, TcpFlags.READ, "read");
    TransmitContext from = point.accesses(Capability.READ);
    checkCount(parts);
    PostedPieces.checkWritable(request.memory(), parts, "into", point.mover());
    RemotePlace[] places =
        places(request.memory(), parts, request.places(), request.place(), request.offset());
    traffic.lock();
    try {
      Peer peer = traffic.target(request.source());
      Send read = from.take(FrameHeader.READ_REQUEST);
      if (read == null) {
        return false;
      }
      read.set(request.memory(), parts, 0, 0, 0);
      reach(read, places, request.place(), request.offset());
      TcpFlags.note(read, request.context(), flags);
      traffic.access(read, peer, request.source());
      return true;
    } finally {
      traffic.unlock();
    }
  }

  boolean write(MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    MessageTraffic traffic = point.ready();
    TransmitContext through = point.accesses(Capability.WRITE);
    PostedPieces.check(from, null, false, point.mover());
    ReachedPlaces.checkRoom(from.byteSize(), place, 0);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send write = through.take(FrameHeader.WRITE);
      if (write == null) {
        return false;
      }
      write.set(from, null, 0, 0, 0);
      write.reach(place.address(), place.key(), null);
      TcpFlags.note(write, context, 0);
      traffic.access(write, peer, destination);
      return true;
    } finally {
      traffic.unlock();
    }
  }

  boolean write(WriteRequest request) {
    required(request, "request");
    MessageTraffic traffic = point.ready();
    MemorySegment[] parts = request.parts();
    long flags = request.flags();
    BoundEndpoint.checkFlags(flags, TcpFlags.WRITE, "write");
    TransmitContext through = point.accesses(Capability.WRITE);
    checkCount(parts);
    boolean inject = (flags & TcpFlags.INJECT) != 0;
    PostedPieces.check(request.memory(), parts, inject, point.mover());
    RemotePlace[] places =
        places(request.memory(), parts, request.places(), request.place(), request.offset());
    traffic.lock();
    try {
      Peer peer = traffic.target(request.destination());
      Send write = through.take(FrameHeader.WRITE);
      if (write == null) {
        return false;
      }
      write.set(request.memory(), parts, TcpFlags.ofFrame(flags), request.data(), 0);
      reach(write, places, request.place(), request.offset());
      TcpFlags.note(write, request.context(), flags);
      traffic.access(write, peer, request.destination());
      return true;
    } finally {
      traffic.unlock();
    }
  }

  boolean injectWrite(WriteRequest request) {
    RemotePlace place = required(request, "request").place();
    if (request.parts() != null || place == null) {
      throw invalid("one piece of memory is injected into one place: name them, or write");
    }
    int frameFlags = request.hasData() ? FrameHeader.HAS_DATA : 0;
    return injectWrite(
        request.memory(),
        frameFlags,
        request.data(),
        request.destination(),
        place,
        request.offset());
  }

  boolean injectWrite(
      MemorySegment local,
      int frameFlags,
      long data,
      long destination,
      RemotePlace place,
      long offset) {
    MessageTraffic traffic = point.ready();
    TransmitContext from = point.accesses(Capability.WRITE);
    PostedPieces.check(local, null, true, point.mover());
    ReachedPlaces.checkRoom(local.byteSize(), place, offset);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send write = from.take(FrameHeader.WRITE);
      if (write == null) {
        return false;
      }
      write.set(local, null, frameFlags, data, 0);
      write.reach(place.address() + offset, place.key(), null);
      TcpFlags.noteInjected(write);
      traffic.access(write, peer, destination);
      return true;
    } finally {
      traffic.unlock();
    }
  }

  private static void checkCount(MemorySegment @Nullable [] parts) {
    if (parts != null) {
      PostedPieces.checkCount(parts);
    }
  }

  /** The places that a request reaches, to be kept; none if it is one place with enough bytes. */
  private static RemotePlace[] places(
      MemorySegment memory,
      MemorySegment @Nullable [] parts,
      RemotePlace @Nullable [] several,
      @Nullable RemotePlace one,
      long offset) {
    long here = memory.byteSize();
    if (parts != null) {
      for (MemorySegment part : parts) {
        here += part.byteSize();
      }
    }
    if (several == null) {
      ReachedPlaces.checkRoom(here, one, offset);
      return ONE_PLACE;
    }
    return ReachedPlaces.several(several, here, TcpLimits.RMA_IOV_LIMIT);
  }

  private static void reach(
      Send access, RemotePlace[] places, @Nullable RemotePlace one, long offset) {
    if (one == null) {
      access.reach(0, 0, places);
    } else {
      access.reach(one.address() + offset, one.key(), null);
    }
  }
}
