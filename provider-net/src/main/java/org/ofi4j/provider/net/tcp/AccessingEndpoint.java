// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.RemotePlace;
import org.ofi4j.provider.net.endpoint.BoundEndpoint;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.Required;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What an endpoint over TCP does with memory of peers: the checks of what is posted.
 *
 * @param <T> what it is from being enabled until it is closed
 */
abstract class AccessingEndpoint<T extends MessageTraffic> extends BoundEndpoint<T> {
  /**
   * An endpoint, not yet enabled.
   *
   * @param domain the domain that it is on
   * @param info what it is opened with
   */
  AccessingEndpoint(EndpointDomain domain, FabricInfo info) {
    super(domain, info);
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
    read(into, null, source, address, key, null, context, flags);
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
    read(MemorySegment.NULL, parts, source, address, key, null, context, flags);
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
    read(MemorySegment.NULL, parts, source, 0, 0, kept, context, flags);
  }

  private void read(
      MemorySegment into,
      MemorySegment @Nullable [] parts,
      long source,
      long address,
      long key,
      RemotePlace @Nullable [] places,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot read yet");
    checkFlags(flags, TcpFlags.READ, "read");
    TransmitContext from = accessing(Capability.READ);
    PostedPieces.checkWritable(into, parts, "into", mover());
    traffic.access(
        from,
        into,
        parts,
        FrameHeader.READ_REQUEST,
        0,
        0,
        source,
        address,
        key,
        places,
        context,
        TcpFlags.isSilent(from, flags),
        false);
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
    write(from, null, data, destination, address, key, null, context, flags);
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
    write(MemorySegment.NULL, parts, data, destination, address, key, null, context, flags);
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
    write(MemorySegment.NULL, parts, data, destination, 0, 0, kept, context, flags);
  }

  /** Places of a peer's memory that have as many bytes as pieces of ours, to be kept. */
  private static RemotePlace[] places(MemorySegment[] parts, RemotePlace @Nullable [] places) {
    RemotePlace[] kept = Required.value(places, "places").clone();
    if (kept.length < 1 || kept.length > TcpLimits.RMA_IOV_LIMIT) {
      throw new FabricException(
          Errno.EINVAL,
          kept.length + " places of a peer's memory: there can be 1 to " + TcpLimits.RMA_IOV_LIMIT);
    }
    long left = 0;
    for (int i = 0; i < parts.length; i++) {
      left += Required.value(parts[i], "parts[" + i + "]").byteSize();
    }
    long here = left;
    for (int i = 0; i < kept.length; i++) {
      // The sum of any lengths may be more than a number holds.
      long length = Required.value(kept[i], "places[" + i + "]").length();
      left = length > left ? -1 : left - length;
      if (left < 0) {
        break;
      }
    }
    if (left != 0) {
      throw new FabricException(
          Errno.EINVAL,
          "places of a peer's memory that have "
              + (left < 0 ? "more" : left + " bytes less")
              + " than the "
              + here
              + " bytes here: give places of as many");
    }
    return kept;
  }

  private void write(
      MemorySegment local,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      long address,
      long key,
      RemotePlace @Nullable [] places,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot write yet");
    checkFlags(flags, TcpFlags.WRITE, "write");
    TransmitContext from = accessing(Capability.WRITE);
    boolean inject = (flags & TcpFlags.INJECT) != 0;
    PostedPieces.check(local, parts, inject, mover());
    traffic.access(
        from,
        local,
        parts,
        FrameHeader.WRITE,
        TcpFlags.ofFrame(flags),
        data,
        destination,
        address,
        key,
        places,
        context,
        TcpFlags.isSilent(from, flags),
        inject);
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
    PostedPieces.check(local, null, true, mover());
    traffic.access(
        from,
        local,
        null,
        FrameHeader.WRITE,
        frameFlags,
        data,
        destination,
        address,
        key,
        null,
        null,
        true,
        true);
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
