package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.endpoint.BoundEndpoint;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.PostedMemory;
import org.ofi4j.provider.net.endpoint.Required;
import org.ofi4j.provider.net.progress.ProgressThread;

/**
 * An endpoint over TCP, whichever way it comes by its connections: the checks of what is posted.
 *
 * @param <T> what it is from being enabled until it is closed
 */
abstract class TcpEndpoint<T extends MessageTraffic> extends BoundEndpoint<T> {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long MORE = TransferFlag.MORE.mask();
  private static final long DELIVERY = TransferFlag.DELIVERY_COMPLETE.mask();
  private static final long COMMIT = TransferFlag.COMMIT_COMPLETE.mask();
  private static final long SEND_FLAGS =
      Flag.maskOf(
          TransferFlag.REMOTE_CQ_DATA,
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);
  private static final long WRITE_FLAGS = SEND_FLAGS | COMMIT;

  /** A read has ended when its bytes are here, so it does not matter what else it waits for. */
  private static final long READ_FLAGS =
      Flag.maskOf(
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long DISCARD = TransferFlag.DISCARD.mask();
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();
  private static final long RECEIVE_FLAGS =
      Flag.maskOf(
          TransferFlag.COMPLETION,
          TransferFlag.MORE,
          TransferFlag.PEEK,
          TransferFlag.CLAIM,
          TransferFlag.DISCARD);

  private final DirectedReceives directed;

  // Guarded by the monitor of this object, which enabling takes.
  private long timeout = TcpLimits.CONNECT_TIMEOUT;

  /**
   * An endpoint, not yet enabled.
   *
   * @param domain the domain that it is on
   * @param info what it is opened with
   */
  TcpEndpoint(EndpointDomain domain, FabricInfo info) {
    super(domain, info);
    directed = DirectedReceives.of(info);
  }

  @Override
  public final synchronized void connectTimeout(Duration wanted) {
    checkOpen();
    Required.value(wanted, "timeout");
    if (!wanted.isPositive()) {
      throw new FabricException(
          Errno.EINVAL, "timeout " + wanted + ": must be more than nothing, or no peer is reached");
    }
    if (enabled() != null) {
      throw new FabricException(
          Errno.EINVAL, this + " is enabled: say how long a connection may take before that");
    }
    // What is longer makes no difference, and the sum with a time must be one.
    timeout = Math.min(TimeUnit.NANOSECONDS.convert(wanted), Long.MAX_VALUE / 4);
  }

  /** How long a peer may take to answer, in nanoseconds. */
  final synchronized long timeout() {
    return timeout;
  }

  @Override
  public final void send(
      MemorySegment message, long data, long destination, @Nullable Object context, long flags) {
    post(message, null, FrameHeader.MESSAGE, data, 0, destination, context, flags);
  }

  @Override
  public final void send(
      MemorySegment[] parts, long data, long destination, @Nullable Object context, long flags) {
    checkParts(parts);
    post(MemorySegment.NULL, parts, FrameHeader.MESSAGE, data, 0, destination, context, flags);
  }

  @Override
  public final void inject(MemorySegment message, long destination) {
    inject(message, FrameHeader.MESSAGE, 0, 0, 0, destination);
  }

  @Override
  public final void inject(MemorySegment message, long data, long destination) {
    inject(message, FrameHeader.MESSAGE, FrameHeader.HAS_DATA, data, 0, destination);
  }

  @Override
  public final void sendTagged(
      MemorySegment message,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    post(message, null, FrameHeader.TAGGED, data, tag, destination, context, flags);
  }

  @Override
  public final void sendTagged(
      MemorySegment[] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    checkParts(parts);
    post(MemorySegment.NULL, parts, FrameHeader.TAGGED, data, tag, destination, context, flags);
  }

  @Override
  public final void injectTagged(MemorySegment message, long destination, long tag) {
    inject(message, FrameHeader.TAGGED, 0, 0, tag, destination);
  }

  @Override
  public final void injectTagged(MemorySegment message, long data, long destination, long tag) {
    inject(message, FrameHeader.TAGGED, FrameHeader.HAS_DATA, data, tag, destination);
  }

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
    checkParts(parts);
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
    checkFlags(flags, READ_FLAGS, "read");
    TransmitContext from = accessing(traffic, Capability.READ);
    checkWritable(into, parts, "into");
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
        context,
        from.isSelective() && (flags & COMPLETION) == 0,
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
    write(from, null, data, destination, address, key, context, flags);
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
    checkParts(parts);
    write(MemorySegment.NULL, parts, data, destination, address, key, context, flags);
  }

  private void write(
      MemorySegment local,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot write yet");
    checkFlags(flags, WRITE_FLAGS, "write");
    TransmitContext from = accessing(traffic, Capability.WRITE);
    boolean inject = (flags & INJECT) != 0;
    check(local, parts, inject);
    traffic.access(
        from,
        local,
        parts,
        FrameHeader.WRITE,
        frameFlags(flags),
        data,
        destination,
        address,
        key,
        context,
        from.isSelective() && (flags & COMPLETION) == 0,
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
    TransmitContext from = accessing(traffic, Capability.WRITE);
    check(local, null, true);
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
        true,
        true);
  }

  private TransmitContext accessing(T traffic, Capability needed) {
    TransmitContext from = traffic.transmit();
    if (from == null || !info().has(needed)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no capability " + needed + ": ask for it and RMA");
    }
    return from;
  }

  private static void checkParts(MemorySegment @Nullable [] parts) {
    int count = Required.value(parts, "parts").length;
    if (count > TcpLimits.IOV_LIMIT) {
      throw new FabricException(
          Errno.EINVAL,
          "a message of " + count + " parts: there can be " + TcpLimits.IOV_LIMIT + " at most");
    }
  }

  private void post(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      int operation,
      long data,
      long tag,
      long destination,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot send yet");
    checkFlags(flags, SEND_FLAGS, "send");
    TransmitContext from = sending(traffic.transmit());
    boolean inject = (flags & INJECT) != 0;
    check(message, parts, inject);
    boolean silent = from.isSelective() && (flags & COMPLETION) == 0;
    traffic.send(
        from,
        message,
        parts,
        operation,
        frameFlags(flags),
        data,
        tag,
        destination,
        context,
        silent,
        inject,
        (flags & MORE) != 0);
  }

  private static int frameFlags(long flags) {
    return ((flags & DATA) != 0 ? FrameHeader.HAS_DATA : 0)
        | ((flags & DELIVERY) != 0 ? FrameHeader.DELIVERY_COMPLETE : 0)
        | ((flags & COMMIT) != 0 ? FrameHeader.COMMIT_COMPLETE : 0);
  }

  private void inject(
      MemorySegment message, int operation, int frameFlags, long data, long tag, long destination) {
    T traffic = ready("cannot send yet");
    TransmitContext from = sending(traffic.transmit());
    check(message, null, true);
    traffic.send(
        from,
        message,
        null,
        operation,
        frameFlags,
        data,
        tag,
        destination,
        null,
        true,
        true,
        false);
  }

  private void check(MemorySegment message, MemorySegment @Nullable [] parts, boolean inject) {
    // An injected message is sent or copied within this call.
    ProgressThread mover = inject ? null : mover();
    long length = PostedMemory.usable(message, "message", mover).byteSize();
    if (parts != null) {
      for (int i = 0; i < parts.length; i++) {
        length += PostedMemory.usable(parts[i], "parts[" + i + "]", mover).byteSize();
      }
    }
    if (inject) {
      PostedMemory.checkLength("injected message", length, TcpLimits.INJECT_SIZE);
    }
  }

  @Override
  public final void receive(
      MemorySegment buffer, long source, @Nullable Object context, long flags) {
    T traffic = ready("cannot receive yet");
    long known = info().has(Capability.MULTI_RECEIVE) ? MULTI_RECEIVE : 0;
    checkFlags(flags, RECEIVE_FLAGS | known, "receive");
    post(traffic, buffer, null, false, source, 0, 0, context, flags);
  }

  @Override
  public final void receive(
      MemorySegment[] parts, long source, @Nullable Object context, long flags) {
    T traffic = ready("cannot receive yet");
    checkFlags(flags, RECEIVE_FLAGS, "receive into several parts");
    checkParts(parts);
    post(traffic, MemorySegment.NULL, parts, false, source, 0, 0, context, flags);
  }

  @Override
  public final void receiveTagged(
      MemorySegment buffer,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot receive yet");
    checkFlags(flags, RECEIVE_FLAGS, "tagged receive");
    post(traffic, buffer, null, true, source, tag, ignore, context, flags);
  }

  @Override
  public final void receiveTagged(
      MemorySegment[] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot receive yet");
    checkFlags(flags, RECEIVE_FLAGS, "tagged receive");
    checkParts(parts);
    post(traffic, MemorySegment.NULL, parts, true, source, tag, ignore, context, flags);
  }

  private void post(
      T traffic,
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      boolean tagged,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    ReceiveContext into = receiving(traffic.receive());
    checkSearch(context, flags);
    boolean unused = (flags & (PEEK | DISCARD)) != 0;
    if (!unused) {
      checkWritable(buffer, parts, "buffer");
    }
    long from = directed.source(tagged, source);
    boolean silent = into.isSelective() && (flags & COMPLETION) == 0;
    traffic.receive(
        into,
        unused ? MemorySegment.NULL : buffer,
        unused ? null : parts,
        tagged,
        from,
        tag,
        ignore,
        context,
        silent,
        flags);
  }

  private void checkWritable(MemorySegment buffer, MemorySegment @Nullable [] parts, String name) {
    if (parts == null) {
      PostedMemory.writable(buffer, name, mover());
    } else {
      for (int i = 0; i < parts.length; i++) {
        PostedMemory.writable(parts[i], "parts[" + i + "]", mover());
      }
    }
  }

  /** Refuses what makes no sense when a receive asks for messages that have come. */
  private static void checkSearch(@Nullable Object context, long flags) {
    if ((flags & DISCARD) != 0 && ((flags & PEEK) == 0) == ((flags & CLAIM) == 0)) {
      throw new FabricException(
          Errno.EBADFLAGS, "flag DISCARD goes with one of PEEK and CLAIM: say which to discard");
    }
    if ((flags & CLAIM) != 0 && context == null) {
      throw new FabricException(
          Errno.EINVAL, "context is null, but a claimed message is known by its context");
    }
    if ((flags & MULTI_RECEIVE) != 0 && (flags & (PEEK | CLAIM)) != 0) {
      throw new FabricException(
          Errno.EBADFLAGS, "flag MULTI_RECEIVE does not go with PEEK or CLAIM");
    }
  }

  @Override
  public final void minMultiReceive(long bytes) {
    T traffic = ready("takes options later");
    if (bytes < 1) {
      throw new FabricException(
          Errno.EINVAL, "minimum " + bytes + " of a buffer for several messages: give 1 or more");
    }
    traffic.minMultiReceive(receiving(traffic.receive()), bytes);
  }

  @Override
  public final boolean cancel(@Nullable Object context) {
    checkOpen();
    T traffic = enabled();
    ReceiveContext from = traffic == null ? null : traffic.receive();
    return traffic != null && from != null && traffic.cancel(from, context);
  }
}
