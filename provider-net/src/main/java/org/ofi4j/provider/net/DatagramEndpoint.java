package org.ofi4j.provider.net;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.queue.CoreCompletionQueue;

/**
 * {@code FI_EP_DGRAM} over UDP: one message is one datagram, whose payload is the message and
 * nothing else.
 */
final class DatagramEndpoint implements Endpoint {
  private static final long BIND_FLAGS = Flag.maskOf(BindFlag.values());
  private static final long DIRECTIONS = Flag.maskOf(BindFlag.TRANSMIT, BindFlag.RECEIVE);
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long SEND_FLAGS =
      Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.INJECT, TransferFlag.MORE);
  private static final long RECEIVE_FLAGS = Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE);

  private final NetDomain domain;
  private final FabricInfo info;
  private final Lifetime lifetime;

  // What is bound; guarded by the monitor of this object, as enabling and closing are.
  private @Nullable CoreAddressVector vector;
  private @Nullable Binding transmit;
  private @Nullable Binding receive;

  // Written once, with everything bound; transfers read it without a lock.
  private volatile @Nullable EnabledEndpoint enabled;

  DatagramEndpoint(NetDomain domain, FabricInfo info) {
    this.domain = domain;
    this.info = info;
    this.lifetime = new Lifetime(this, this::release);
    lifetime.hold(domain.lifetime());
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public synchronized void bind(AddressVector boundVector, long flags) {
    lifetime.checkOpen();
    Required.value(boundVector, "vector");
    if (flags != 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "flags 0x" + Long.toHexString(flags) + " for binding an address vector: must be 0");
    }
    checkBindable(boundVector.domain(), boundVector);
    if (vector != null) {
      throw new FabricException(
          Errno.EINVAL,
          this + " is bound to " + vector + " already, and has one address vector only");
    }
    if (!(boundVector instanceof CoreAddressVector own)) {
      throw foreign(boundVector);
    }
    lifetime.hold(own.lifetime());
    vector = own;
  }

  @Override
  public synchronized void bind(CompletionQueue queue, long flags) {
    lifetime.checkOpen();
    Required.value(queue, "queue");
    if ((flags & ~BIND_FLAGS) != 0 || (flags & DIRECTIONS) == 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "flags 0x"
              + Long.toHexString(flags)
              + " for binding a completion queue: give TRANSMIT, RECEIVE or both,"
              + " and SELECTIVE_COMPLETION if wanted");
    }
    checkBindable(queue.domain(), queue);
    boolean sends = (flags & BindFlag.TRANSMIT.mask()) != 0;
    boolean receives = (flags & BindFlag.RECEIVE.mask()) != 0;
    if ((sends && transmit != null) || (receives && receive != null)) {
      throw new FabricException(
          Errno.EINVAL,
          this
              + " has a completion queue for "
              + (sends && transmit != null ? "sends" : "receives")
              + " already");
    }
    if (!(queue instanceof CoreCompletionQueue own)) {
      throw foreign(queue);
    }
    lifetime.hold(own.lifetime());
    Binding binding = new Binding(own, flags);
    transmit = sends ? binding : transmit;
    receive = receives ? binding : receive;
  }

  private void checkBindable(Domain of, Object bound) {
    if (of != domain) {
      throw new FabricException(
          Errno.EINVAL, bound + " is of " + of + ", but " + this + " of " + domain);
    }
    if (enabled != null) {
      throw new FabricException(Errno.EINVAL, this + " is enabled: bind " + bound + " before that");
    }
  }

  private static FabricException foreign(Object bound) {
    return new FabricException(Errno.EINVAL, bound + " is not of this provider");
  }

  @Override
  public synchronized void enable() {
    lifetime.checkOpen();
    if (enabled != null) {
      return;
    }
    boolean sends = info.has(Capability.SEND);
    boolean receives = info.has(Capability.RECEIVE);
    // In this order: queues before the vector (AV-211).
    if (sends && transmit == null) {
      throw noQueue("sends", "TRANSMIT");
    }
    if (receives && receive == null) {
      throw noQueue("receives", "RECEIVE");
    }
    CoreAddressVector bound = vector;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: bind one before enabling it");
    }
    LocalSocket socket = LocalSocket.open(info, domain.info());
    Binding toSend = sends ? transmit : null;
    Binding toReceive = receives ? receive : null;
    EnabledEndpoint ready =
        new EnabledEndpoint(
            socket,
            SocketAddresses.inFormat(socket.name(), info.addressFormat()),
            toSend == null ? null : transmitter(socket, toSend, bound),
            toReceive == null ? null : receiver(socket, toReceive, bound),
            toSend,
            toReceive);
    enabled = ready;
    ready.join();
  }

  private FabricException noQueue(String what, String flag) {
    return new FabricException(
        Errno.ENOCQ,
        this
            + " has no completion queue for "
            + what
            + ": bind one with BindFlag."
            + flag
            + " before enabling it");
  }

  private DatagramTransmitter transmitter(
      LocalSocket socket, Binding binding, CoreAddressVector bound) {
    return new DatagramTransmitter(
        socket.channel(),
        binding.queue(),
        new Destinations(
            bound,
            socket.isIpv6(),
            socket.isDualStack(),
            LocalSocket.interfaceIndex(domain.info())),
        domain.staging(),
        info.transmit().size());
  }

  private DatagramReceiver receiver(LocalSocket socket, Binding binding, CoreAddressVector bound) {
    DatagramReceiver.Sources sources =
        info.has(Capability.SOURCE_ERR)
            ? DatagramReceiver.Sources.ALL
            : info.has(Capability.SOURCE)
                ? DatagramReceiver.Sources.KNOWN
                : DatagramReceiver.Sources.NONE;
    return new DatagramReceiver(
        socket.channel(),
        binding.queue(),
        new Senders(bound, socket.isIpv6(), LocalSocket.interfaceIndex(domain.info())),
        sources,
        domain.staging(),
        info.receive().size());
  }

  @Override
  public FabricAddress name() {
    return ready("has no name yet").name;
  }

  private EnabledEndpoint ready(String otherwise) {
    lifetime.checkOpen();
    EnabledEndpoint present = enabled;
    if (present == null) {
      throw new FabricException(Errno.EOPBADSTATE, this + " " + otherwise + ": enable first");
    }
    return present;
  }

  @Override
  public void send(
      MemorySegment message, long data, long destination, @Nullable Object context, long flags) {
    EnabledEndpoint present = ready("cannot send yet");
    if ((flags & DATA) != 0) {
      throw new FabricException(
          Errno.ENOSYS, "datagrams carry no immediate data: put it into the message");
    }
    checkFlags(flags, SEND_FLAGS, "send");
    boolean inSilence = present.selectiveSends && (flags & COMPLETION) == 0;
    post(present, message, destination, context, inSilence, (flags & INJECT) != 0);
  }

  @Override
  public void inject(MemorySegment message, long destination) {
    post(ready("cannot send yet"), message, destination, null, true, true);
  }

  private void post(
      EnabledEndpoint present,
      MemorySegment message,
      long destination,
      @Nullable Object context,
      boolean inSilence,
      boolean inject) {
    DatagramTransmitter transmitter = present.transmitter;
    if (transmitter == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    ProgressThread mover = mover();
    // An injected message is sent or copied within this call.
    PostedMemory.usable(message, "message", inject ? null : mover);
    long length = message.byteSize();
    if (inject && length > UdpLimits.INJECT_SIZE) {
      throw tooLong("injected message", length, UdpLimits.INJECT_SIZE);
    }
    if (length > present.maxMessage) {
      throw tooLong("message", length, present.maxMessage);
    }
    if (transmitter.post(message, destination, context, inSilence, inject)) {
      present.changed();
    }
  }

  /** The thread that will move what is posted, or null if those who read the queues do. */
  private @Nullable ProgressThread mover() {
    ProgressThread thread = domain.progressThread();
    if (thread != null) {
      thread.checkRunning();
    }
    return thread;
  }

  private static FabricException tooLong(String what, long length, long limit) {
    return new FabricException(
        Errno.EMSGSIZE, what + " of " + length + " bytes: the most is " + limit);
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
    EnabledEndpoint present = ready("cannot receive yet");
    checkFlags(flags, RECEIVE_FLAGS, "receive");
    DatagramReceiver receiver = present.receiver;
    if (receiver == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    PostedMemory.usable(buffer, "buffer", mover());
    if (buffer.isReadOnly()) {
      throw new FabricException(Errno.EINVAL, "buffer is read-only: a message is written to it");
    }
    // The source is not looked at: datagrams offer no directed receives (AV-217, AV-218).
    if (receiver.post(buffer, context, present.selectiveReceives && (flags & COMPLETION) == 0)) {
      present.changed();
    }
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    lifetime.checkOpen();
    EnabledEndpoint present = enabled;
    return present != null && present.receiver != null && present.receiver.cancel(context);
  }

  private synchronized void release() {
    EnabledEndpoint present = enabled;
    if (present != null) {
      present.close();
    }
  }

  @Override
  public @Nullable Object context() {
    return null;
  }

  @Override
  public boolean isOpen() {
    return lifetime.isOpen();
  }

  @Override
  public void close() {
    lifetime.close();
  }

  @Override
  public String toString() {
    EnabledEndpoint present = enabled;
    return present == null
        ? "endpoint of " + domain.info().domain().name() + ", not enabled"
        : present.toString();
  }
}
