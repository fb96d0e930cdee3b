package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.BoundEndpoint;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.PostedMemory;
import org.ofi4j.provider.net.endpoint.Required;
import org.ofi4j.provider.net.progress.ProgressThread;

/** {@code FI_EP_RDM} over TCP: messages arrive once, whole, and in the order of sending. */
public final class RdmEndpoint extends BoundEndpoint<RdmTraffic> {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long DELIVERY = TransferFlag.DELIVERY_COMPLETE.mask();
  private static final long SEND_FLAGS =
      Flag.maskOf(
          TransferFlag.REMOTE_CQ_DATA,
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);
  private static final long RECEIVE_FLAGS = Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE);

  // Guarded by the monitor of this object, which enabling takes.
  private long timeout = TcpLimits.CONNECT_TIMEOUT;

  /**
   * An endpoint, not yet enabled.
   *
   * @param domain the domain that it is on
   * @param info what it is opened with
   */
  public RdmEndpoint(EndpointDomain domain, FabricInfo info) {
    super(domain, info);
  }

  @Override
  public synchronized void connectTimeout(Duration wanted) {
    checkOpen();
    Required.value(wanted, "timeout");
    if (!wanted.isPositive()) {
      throw new FabricException(
          Errno.EINVAL, "timeout " + wanted + ": must be more than nothing, or no peer is reached");
    }
    if (enabled() != null) {
      throw new FabricException(
          Errno.EINVAL, this + " is enabled: say how long sends wait for a connection before that");
    }
    // What is longer makes no difference, and the sum with a time must be one.
    timeout = Math.min(TimeUnit.NANOSECONDS.convert(wanted), Long.MAX_VALUE / 4);
  }

  @Override
  public void warmUp(long... handles) {
    ready("cannot connect yet").warmUp(Required.value(handles, "handles"));
  }

  @Override
  protected RdmTraffic open(
      CoreAddressVector vector, @Nullable Binding transmit, @Nullable Binding receive) {
    return RdmTraffic.open(domain(), info(), vector, transmit, receive, timeout);
  }

  @Override
  protected void join(RdmTraffic ready) {
    ready.join();
  }

  @Override
  protected FabricAddress name(RdmTraffic ready) {
    return ready.name();
  }

  @Override
  protected void close(RdmTraffic ready) {
    ready.close();
  }

  @Override
  public void send(
      MemorySegment message, long data, long destination, @Nullable Object context, long flags) {
    post(message, FrameHeader.MESSAGE, data, 0, destination, context, flags);
  }

  @Override
  public void inject(MemorySegment message, long destination) {
    inject(message, FrameHeader.MESSAGE, 0, destination);
  }

  @Override
  public void sendTagged(
      MemorySegment message,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    post(message, FrameHeader.TAGGED, data, tag, destination, context, flags);
  }

  @Override
  public void injectTagged(MemorySegment message, long destination, long tag) {
    inject(message, FrameHeader.TAGGED, tag, destination);
  }

  private void post(
      MemorySegment message,
      int operation,
      long data,
      long tag,
      long destination,
      @Nullable Object context,
      long flags) {
    RdmTraffic traffic = ready("cannot send yet");
    checkFlags(flags, SEND_FLAGS, "send");
    TransmitContext from = transmit(traffic);
    boolean inject = (flags & INJECT) != 0;
    check(message, inject);
    int frameFlags =
        ((flags & DATA) != 0 ? FrameHeader.HAS_DATA : 0)
            | ((flags & DELIVERY) != 0 ? FrameHeader.DELIVERY_COMPLETE : 0);
    boolean silent = from.isSelective() && (flags & COMPLETION) == 0;
    traffic.send(
        from, message, operation, frameFlags, data, tag, destination, context, silent, inject);
  }

  private void inject(MemorySegment message, int operation, long tag, long destination) {
    RdmTraffic traffic = ready("cannot send yet");
    TransmitContext from = transmit(traffic);
    check(message, true);
    traffic.send(from, message, operation, 0, 0, tag, destination, null, true, true);
  }

  private TransmitContext transmit(RdmTraffic traffic) {
    TransmitContext from = traffic.transmit();
    if (from == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    return from;
  }

  private void check(MemorySegment message, boolean inject) {
    ProgressThread mover = mover();
    // An injected message is sent or copied within this call.
    PostedMemory.usable(message, "message", inject ? null : mover);
    long length = message.byteSize();
    if (inject && length > TcpLimits.INJECT_SIZE) {
      throw new FabricException(
          Errno.EMSGSIZE,
          "injected message of " + length + " bytes: the most is " + TcpLimits.INJECT_SIZE);
    }
  }

  /** The thread that will move what is posted, or null if those who read the queues do. */
  private @Nullable ProgressThread mover() {
    ProgressThread thread = domain().progressThread();
    if (thread != null) {
      thread.checkRunning();
    }
    return thread;
  }

  private static void checkFlags(long flags, long known, String call) {
    if ((flags & ~known) != 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "flags 0x" + Long.toHexString(flags & ~known) + " mean nothing to a " + call);
    }
  }

  @Override
  public void receive(MemorySegment buffer, long source, @Nullable Object context, long flags) {
    postReceive(buffer, false, 0, 0, context, flags);
  }

  @Override
  public void receiveTagged(
      MemorySegment buffer,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    postReceive(buffer, true, tag, ignore, context, flags);
  }

  private void postReceive(
      MemorySegment buffer,
      boolean tagged,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    RdmTraffic traffic = ready("cannot receive yet");
    checkFlags(flags, RECEIVE_FLAGS, "receive");
    ReceiveContext into = traffic.receive();
    if (into == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    PostedMemory.usable(buffer, "buffer", mover());
    if (buffer.isReadOnly()) {
      throw new FabricException(Errno.EINVAL, "buffer is read-only: a message is written to it");
    }
    boolean silent = into.isSelective() && (flags & COMPLETION) == 0;
    traffic.receive(into, buffer, tagged, tag, ignore, context, silent);
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    checkOpen();
    RdmTraffic traffic = enabled();
    ReceiveContext from = traffic == null ? null : traffic.receive();
    return traffic != null && from != null && traffic.cancel(from, context);
  }
}
