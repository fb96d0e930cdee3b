// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.RemotePlace;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.endpoint.BoundEndpoint;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What an endpoint over TCP does with memory of peers: the checks of what is posted.
 *
 * @param <T> what it is from being enabled until it is closed
 */
abstract class AccessingEndpoint<T extends MessageTraffic> extends BoundEndpoint<T> {
  AccessingEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  /** What operations go through; null for an endpoint that only receives, or is not enabled. */
  abstract @Nullable TransmitContext transmit();

  @Override
  public final void read(
      MemorySegment into,
      long source,
      long address,
      long key,
      @Nullable Object context,
      long flags) {
    read(into, null, source, address, key, context, flags);
  }

  @Override
  public final void read(
      MemorySegment[] parts,
      long source,
      long address,
      long key,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    read(MemorySegment.NULL, parts, source, address, key, context, flags);
  }

  private void read(
      MemorySegment into,
      MemorySegment @Nullable [] parts,
      long source,
      long address,
      long key,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot read yet");
    TransmitContext from = reading(into, parts, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(source);
      Send read = TcpEndpoint.taken(from.take(FrameHeader.READ_REQUEST));
      read.set(into, parts, 0, 0, 0);
      read.reach(address, key, null);
      TcpFlags.note(read, context, flags);
      traffic.access(read, peer, source);
    } finally {
      traffic.unlock();
    }
  }

  @Override
  public final void read(
      MemorySegment[] parts,
      long source,
      RemotePlace[] places,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    RemotePlace[] kept = places(parts, places);
    T traffic = ready("cannot read yet");
    TransmitContext from = reading(MemorySegment.NULL, parts, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(source);
      Send read = TcpEndpoint.taken(from.take(FrameHeader.READ_REQUEST));
      read.set(MemorySegment.NULL, parts, 0, 0, 0);
      read.reach(0, 0, kept);
      TcpFlags.note(read, context, flags);
      traffic.access(read, peer, source);
    } finally {
      traffic.unlock();
    }
  }

  /** What a read goes through; refuses one that cannot be posted. */
  private TransmitContext reading(
      MemorySegment into, MemorySegment @Nullable [] parts, long flags) {
    checkFlags(flags, TcpFlags.READ, "read");
    TransmitContext from = accessing(Capability.READ);
    PostedPieces.checkWritable(into, parts, "into", domain().mover());
    return from;
  }

  @Override
  public final void write(
      MemorySegment from,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot write yet");
    TransmitContext through = writing(from, null, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send write = TcpEndpoint.taken(through.take(FrameHeader.WRITE));
      write.set(from, null, TcpFlags.ofFrame(flags), data, 0);
      write.reach(address, key, null);
      TcpFlags.note(write, context, flags);
      traffic.access(write, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  @Override
  public final void write(
      MemorySegment[] parts,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    T traffic = ready("cannot write yet");
    TransmitContext from = writing(MemorySegment.NULL, parts, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send write = TcpEndpoint.taken(from.take(FrameHeader.WRITE));
      write.set(MemorySegment.NULL, parts, TcpFlags.ofFrame(flags), data, 0);
      write.reach(address, key, null);
      TcpFlags.note(write, context, flags);
      traffic.access(write, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  @Override
  public final void write(
      MemorySegment[] parts,
      long data,
      long destination,
      RemotePlace[] places,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    RemotePlace[] kept = places(parts, places);
    T traffic = ready("cannot write yet");
    TransmitContext from = writing(MemorySegment.NULL, parts, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send write = TcpEndpoint.taken(from.take(FrameHeader.WRITE));
      write.set(MemorySegment.NULL, parts, TcpFlags.ofFrame(flags), data, 0);
      write.reach(0, 0, kept);
      TcpFlags.note(write, context, flags);
      traffic.access(write, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  /** What a write goes through; refuses one that cannot be posted. */
  private TransmitContext writing(
      MemorySegment from, MemorySegment @Nullable [] parts, long flags) {
    checkFlags(flags, TcpFlags.WRITE, "write");
    TransmitContext through = accessing(Capability.WRITE);
    PostedPieces.check(from, parts, (flags & TcpFlags.INJECT) != 0, domain().mover());
    return through;
  }

  /** Places of a peer's memory that have as many bytes as pieces of ours, to be kept. */
  private static RemotePlace[] places(MemorySegment[] parts, RemotePlace @Nullable [] places) {
    RemotePlace[] kept = required(places, "places").clone();
    if (kept.length < 1 || kept.length > TcpLimits.RMA_IOV_LIMIT) {
      throw invalid(
          kept.length + " places of a peer's memory: there can be 1 to " + TcpLimits.RMA_IOV_LIMIT);
    }
    long left = 0;
    for (int i = 0; i < parts.length; i++) {
      left += required(parts[i], "parts[" + i + "]").byteSize();
    }
    long here = left;
    for (int i = 0; i < kept.length; i++) {
      // The sum of any lengths may be more than a number holds.
      long length = required(kept[i], "places[" + i + "]").length();
      left = length > left ? -1 : left - length;
      if (left < 0) {
        break;
      }
    }
    if (left != 0) {
      throw invalid(
          "places of a peer's memory that have %s than the %s bytes here: give places of as many"
              .formatted(left < 0 ? "more" : left + " bytes less", here));
    }
    return kept;
  }

  @Override
  public final void injectWrite(MemorySegment from, long destination, long address, long key) {
    injectWrite(from, 0, 0, destination, address, key);
  }

  @Override
  public final void injectWrite(
      MemorySegment from, long data, long destination, long address, long key) {
    injectWrite(from, FrameHeader.HAS_DATA, data, destination, address, key);
  }

  private void injectWrite(
      MemorySegment local, int frameFlags, long data, long destination, long address, long key) {
    T traffic = ready("cannot write yet");
    TransmitContext from = accessing(Capability.WRITE);
    PostedPieces.check(local, null, true, domain().mover());
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send write = TcpEndpoint.taken(from.take(FrameHeader.WRITE));
      write.set(local, null, frameFlags, data, 0);
      write.reach(address, key, null);
      TcpFlags.noteInjected(write);
      traffic.access(write, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  private TransmitContext accessing(Capability needed) {
    TransmitContext from = transmit();
    if (from == null || !info().has(needed)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no capability " + needed + ": ask for it and RMA");
    }
    return from;
  }
}
