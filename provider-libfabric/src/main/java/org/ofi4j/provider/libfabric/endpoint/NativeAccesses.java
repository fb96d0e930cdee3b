// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CounterFlag;
import org.ofi4j.Flag;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.TransferRequest;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.kit.BoundEndpoint;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.ReachedPlaces;

/**
 * Posts reads and writes of peers' memory, as {@link NativePosts} posts messages. Holds nothing
 * that changes; any thread may use it.
 */
final class NativeAccesses {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();

  /** Of what nothing is reported if it succeeds; no flag of libfabric's. */
  private static final long SILENT = Long.MIN_VALUE;

  private static final long LEVELS =
      Flag.maskOf(
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);
  private static final long READ = Flag.maskOf(TransferFlag.MORE, TransferFlag.COMPLETION) | LEVELS;
  private static final long WRITE =
      READ | Flag.maskOf(TransferFlag.REMOTE_CQ_DATA, TransferFlag.INJECT);

  private final NativeMessageEndpoint endpoint;

  NativeAccesses(NativeMessageEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  boolean read(MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    NativeTraffic traffic = endpoint.accessing(Capability.READ);
    ReachedPlaces.checkRoom(into.byteSize(), place, 0);
    checkInto(traffic, into, null);
    traffic.lock();
    try {
      Operation read = traffic.takeTransmit(CounterFlag.READ, source);
      if (read != null) {
        read.place = place;
        post(traffic, read, into, null, context, 0);
      }
      return read != null;
    } finally {
      traffic.unlock();
    }
  }

  boolean read(ReadRequest request) {
    NativeTraffic traffic = endpoint.accessing(Capability.READ);
    required(request, "request");
    BoundEndpoint.checkFlags(request.flags(), READ, "read");
    checkInto(traffic, request.memory(), request.parts());
    RemotePlace[] places = places(request, request.place(), request.offset(), request.places());
    traffic.lock();
    try {
      Operation read = traffic.takeTransmit(CounterFlag.READ, request.source());
      if (read != null) {
        read.place = request.place();
        read.offset = request.offset();
        read.places = places;
        post(traffic, read, request.memory(), request.parts(), request.context(), request.flags());
      }
      return read != null;
    } finally {
      traffic.unlock();
    }
  }

  boolean write(MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return write(from, destination, place, context, 0);
  }

  boolean injectWrite(MemorySegment from, long destination, RemotePlace place) {
    return write(from, destination, place, null, INJECT | SILENT);
  }

  private boolean write(
      MemorySegment from,
      long destination,
      RemotePlace place,
      @Nullable Object context,
      long flags) {
    NativeTraffic traffic = endpoint.accessing(Capability.WRITE);
    ReachedPlaces.checkRoom(from.byteSize(), place, 0);
    checkFrom(traffic, from, null, flags);
    traffic.lock();
    try {
      Operation write = traffic.takeTransmit(CounterFlag.WRITE, destination);
      if (write != null) {
        write.place = place;
        post(traffic, write, from, null, context, flags);
      }
      return write != null;
    } finally {
      traffic.unlock();
    }
  }

  boolean write(WriteRequest request) {
    BoundEndpoint.checkFlags(required(request, "request").flags(), WRITE, "write");
    return write(request, request.flags());
  }

  boolean injectWrite(WriteRequest request) {
    if (required(request, "request").parts() != null || request.place() == null) {
      throw invalid("one piece of memory is injected into one place: name them, or write");
    }
    return write(request, (request.flags() & DATA) | INJECT | SILENT);
  }

  private boolean write(WriteRequest request, long flags) {
    NativeTraffic traffic = endpoint.accessing(Capability.WRITE);
    checkFrom(traffic, request.memory(), request.parts(), flags);
    RemotePlace[] places = places(request, request.place(), request.offset(), request.places());
    endpoint.checkData(request.data(), flags);
    traffic.lock();
    try {
      Operation write = traffic.takeTransmit(CounterFlag.WRITE, request.destination());
      if (write != null) {
        write.place = request.place();
        write.offset = request.offset();
        write.places = places;
        write.data = request.data();
        Object context = (flags & SILENT) == 0 ? request.context() : null;
        post(traffic, write, request.memory(), request.parts(), context, flags);
      }
      return write != null;
    } finally {
      traffic.unlock();
    }
  }

  private void checkInto(
      NativeTraffic traffic, MemorySegment into, MemorySegment @Nullable [] parts) {
    Pieces.checkCount(parts);
    Pieces.checkWritable(into, parts, "into", endpoint.mover());
    PostedMemory.checkLength("read", Pieces.length(into, parts), traffic.sizes().maxMessage());
  }

  private static void checkFrom(
      NativeTraffic traffic, MemorySegment from, MemorySegment @Nullable [] parts, long flags) {
    Pieces.checkCount(parts);
    Pieces.checkReadable(from, parts);
    long length = Pieces.length(from, parts);
    if ((flags & INJECT) != 0) {
      PostedMemory.checkLength("injected write", length, traffic.sizes().inject());
    }
    PostedMemory.checkLength("write", length, traffic.sizes().maxMessage());
  }

  private void post(
      NativeTraffic traffic,
      Operation access,
      MemorySegment memory,
      MemorySegment @Nullable [] parts,
      @Nullable Object context,
      long flags) {
    try {
      if (access.what == CounterFlag.READ) {
        traffic.memory().reserve(access, memory, parts, Long.MAX_VALUE);
      } else {
        traffic.memory().fill(access, memory, parts, (flags & INJECT) != 0);
      }
      access.context = context;
      access.flags = flags & (DATA | LEVELS);
      access.silent =
          (flags & SILENT) != 0 || (endpoint.selectiveTransmits() && (flags & COMPLETION) == 0);
      traffic.postTransmit(access);
    } catch (RuntimeException | Error refused) {
      traffic.giveBack(access);
      throw refused;
    }
  }

  /** The places that a request reaches, to be kept; null if it is one with enough bytes. */
  private RemotePlace @Nullable [] places(
      TransferRequest<?> request,
      @Nullable RemotePlace one,
      long offset,
      RemotePlace @Nullable [] several) {
    long here = Pieces.length(request.memory(), request.parts());
    if (several == null) {
      ReachedPlaces.checkRoom(here, one, offset);
      return null;
    }
    int most = Math.min(DomainResources.MOST_PLACES, endpoint.info().transmit().rmaIovLimit());
    return ReachedPlaces.several(several, here, most);
  }
}
