package org.ofi4j.provider.net.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.PostedMemory;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressTarget;

/**
 * What a reliable endpoint is from being enabled until it is closed. One lock guards everything
 * below it; it is never held while a thread waits or an application's code runs.
 */
final class RdmTraffic extends ProgressTarget implements FrameHandler {
  private final FabricAddress name;
  private final @Nullable TransmitContext transmit;
  private final @Nullable ReceiveContext receive;
  private final NetProgress[] engines;
  private final boolean automatic;
  private final Listener listener;
  private final Readiness readiness;
  private final Connections connections;

  private final ReentrantLock lock = new ReentrantLock();

  // Connections that have data often are read without asking the selector.
  private final @Nullable Connection[] hot = new @Nullable Connection[TcpLimits.HOT];
  private int hotCount;
  private int hotTurn;
  private int polls;

  // What those who sleep must be told once the lock is free.
  private boolean interestChanged;
  private boolean channelsClosed;

  // Receives whose message broke off, the one whose connection was lost first last: only while the
  // lock is held.
  private final Operations<Receive> returned = new Operations<>();

  // Written under the lock; also read by those who ask how long they may sleep.
  private volatile boolean closed;

  /**
   * Opens an endpoint.
   *
   * @param transmit what sends are reported to, or null for an endpoint that only receives
   * @param receive what receives are reported to, or null for one that only sends
   * @param timeout how long sends wait for a connection, in nanoseconds
   */
  static RdmTraffic open(
      EndpointDomain domain,
      FabricInfo info,
      CoreAddressVector vector,
      @Nullable Binding transmit,
      @Nullable Binding receive,
      long timeout) {
    boolean automatic = domain.progressThread() != null;
    Selector own = null;
    try {
      own = automatic ? null : Selector.open();
      return new RdmTraffic(
          domain,
          info,
          vector,
          transmit,
          receive,
          own,
          Listener.Socket.open(info, domain.info()),
          timeout);
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector for the endpoint: " + failed + "; raise the limit of open files",
          failed);
    } catch (FabricException noAddress) {
      closeQuietly(own);
      throw noAddress;
    }
  }

  private static void closeQuietly(@Nullable Selector selector) {
    if (selector != null) {
      try {
        selector.close();
      } catch (IOException alreadyUseless) {
        // The reason why it is closed is reported.
      }
    }
  }

  private RdmTraffic(
      EndpointDomain domain,
      FabricInfo info,
      CoreAddressVector vector,
      @Nullable Binding transmit,
      @Nullable Binding receive,
      @Nullable Selector own,
      Listener.Socket socket,
      long timeout) {
    automatic = own == null;
    name = SocketAddresses.inFormat(socket.name(), info.addressFormat());
    this.transmit = transmit == null ? null : new TransmitContext(transmit, info.transmit().size());
    this.receive =
        receive == null
            ? null
            : new ReceiveContext(receive, vector, Sources.of(info), info.receive().size());
    engines =
        Stream.of(transmit, receive)
            .filter(Objects::nonNull)
            .map(Binding::progress)
            .distinct()
            .toArray(NetProgress[]::new);
    readiness = new Readiness(this, own);
    listener = new Listener(readiness, this, socket);
    connections =
        new Connections(
            this,
            readiness,
            listener,
            vector,
            EndpointAddress.interfaceIndex(domain.info()),
            domain.staging(),
            timeout);
    listener.goOn();
  }

  FabricAddress name() {
    return name;
  }

  @Nullable TransmitContext transmit() {
    return transmit;
  }

  @Nullable ReceiveContext receive() {
    return receive;
  }

  // Posting.

  /**
   * Sends a message.
   *
   * @param operation {@link FrameHeader#MESSAGE} or {@link FrameHeader#TAGGED}
   * @param frameFlags flags of the frame
   */
  void send(
      TransmitContext from,
      MemorySegment message,
      int operation,
      int frameFlags,
      long data,
      long tag,
      long destination,
      @Nullable Object context,
      boolean silent,
      boolean inject) {
    lock();
    try {
      Peer peer = connections.peer(destination);
      Connection connection = peer.connection;
      if (connection == null) {
        connections.checkReachable(peer, destination);
      }
      Send send = from.take(operation);
      send.destination = destination;
      send.message = message;
      send.payload = message.byteSize();
      send.frameFlags = frameFlags;
      send.frameData = data;
      send.frameTag = tag;
      send.context = context;
      send.silent = silent;
      send.inject = inject;
      if (connection != null && connection.isOpen()) {
        // Behind others it goes out with them, when the kernel has room again.
        boolean first = !connection.writer().isBlocked();
        connection.writer().add(send);
        if (first) {
          move(connection, SelectionKey.OP_WRITE);
        }
      } else {
        connections.await(peer, send);
      }
      if (send.inject) {
        send.keep();
      }
    } finally {
      unlock();
    }
  }

  /** Opens connections to peers before anything is sent to them. */
  void warmUp(long[] handles) {
    lock();
    try {
      for (long handle : handles) {
        connections.peer(handle);
      }
      for (long handle : handles) {
        connections.warmUp(handle);
      }
    } finally {
      unlock();
    }
  }

  /** Posts a buffer for a message. */
  void receive(
      ReceiveContext into,
      MemorySegment buffer,
      boolean tagged,
      long tag,
      long ignore,
      @Nullable Object context,
      boolean silent) {
    lock();
    try {
      Receive posted = into.take(tagged);
      posted.buffer = buffer;
      posted.wantedTag = tag;
      posted.ignore = ignore;
      posted.context = context;
      posted.silent = silent;
      Message message = into.unexpected.match(posted);
      if (message == null) {
        into.posted.add(posted);
      } else {
        give(into, message, posted);
      }
    } finally {
      unlock();
    }
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  boolean cancel(ReceiveContext from, @Nullable Object context) {
    lock();
    try {
      Receive withdrawn = from.posted.withdraw(context);
      if (withdrawn != null) {
        from.fail(withdrawn, Errno.ECANCELED, "the receive was withdrawn with cancel");
      }
      return withdrawn != null;
    } finally {
      unlock();
    }
  }

  private void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw new FabricException(Errno.EINVAL, "the endpoint is closed: open a new one");
    }
  }

  private void unlock() {
    if (!returned.isEmpty()) {
      rematch();
    }
    boolean tell = interestChanged;
    boolean flush = channelsClosed;
    interestChanged = false;
    channelsClosed = false;
    lock.unlock();
    if (tell) {
      changed();
    }
    if (flush) {
      for (NetProgress engine : engines) {
        engine.closedChannels();
      }
    }
  }

  // Messages.

  /**
   * Receives whose message broke off may take one that came in the meantime. Not where that is
   * found out: taking a message can lose another connection.
   */
  private void rematch() {
    ReceiveContext into = receive;
    for (Receive each = returned.poll(); each != null && into != null; each = returned.poll()) {
      into.renew(each);
      Message message = into.unexpected.match(each);
      if (message == null) {
        into.posted.putBack(each);
      } else {
        give(into, message, each);
      }
    }
  }

  /** Hands a message that came early to the receive that was posted for it. */
  private void give(ReceiveContext into, Message message, Receive posted) {
    ReceiveContext.expect(posted, message.tag, message.hasData, message.data);
    switch (message.state) {
      case ARRIVING -> message.claimant = posted;
      case WHOLE -> {
        handOver(into, message, posted);
        into.unexpected.release(message);
      }
      case PARKED -> {
        Connection connection = message.connection;
        into.unexpected.release(message);
        if (connection != null) {
          connection.parkedMessage = null;
          resume(connection, posted);
        }
      }
    }
  }

  private void resume(Connection connection, Receive posted) {
    try {
      connection.reader().resume(posted);
      move(connection, SelectionKey.OP_READ);
    } catch (IOException rubbish) {
      connections.lost(connection, rubbish);
    }
  }

  private static void handOver(ReceiveContext into, Message message, Receive posted) {
    Peer from = message.from;
    if (from == null) {
      return;
    }
    try {
      posted.take(message.bytes(), 0, posted.wanted(message.payload), 0);
    } catch (RuntimeException | InternalError unusable) {
      fail(into, posted, unusable);
      return;
    }
    into.received(posted, from, message.payload);
  }

  private static void fail(ReceiveContext into, Receive posted, Throwable unusable) {
    into.fail(
        posted,
        NetworkErrors.of(unusable),
        "the posted buffer cannot be written to, and the message is lost: "
            + unusable.getMessage());
  }

  @Override
  public @Nullable Arrival begin(Connection connection, FrameHeader header)
      throws ProtocolException {
    int operation = header.operation();
    Peer from = connection.peer;
    ReceiveContext into = receive;
    if (from == null || into == null || operation > FrameHeader.TAGGED) {
      throw new ProtocolException("a frame came that this endpoint does not take");
    }
    Receive posted = into.match(header, from);
    while (posted != null) {
      String refusal = PostedMemory.refusal(posted.buffer, Thread.currentThread());
      if (refusal == null) {
        return posted;
      }
      into.fail(posted, Errno.EINVAL, "the posted buffer " + refusal);
      posted = into.match(header, from);
    }
    Message message = into.unexpected.add(connection, from, header);
    if (message.state == Message.State.PARKED) {
      connection.parkedMessage = message;
      return null;
    }
    return message;
  }

  @Override
  public void whole(Connection connection, FrameHeader header, Arrival arrival) {
    if ((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0) {
      connection.writer().acknowledge();
    }
    Peer from = connection.peer;
    ReceiveContext into = receive;
    if (from == null || into == null) {
      return;
    }
    if (arrival instanceof Receive posted) {
      into.received(posted, from, header.payload());
    } else if (arrival instanceof Message message) {
      message.state = Message.State.WHOLE;
      message.connection = null;
      Receive claimant = message.claimant;
      if (claimant != null) {
        handOver(into, message, claimant);
        into.unexpected.release(message);
      }
    }
  }

  @Override
  public void unusable(Connection connection, Arrival arrival, Throwable failed) {
    ReceiveContext into = receive;
    if (into != null && arrival instanceof Receive posted) {
      fail(into, posted, failed);
    }
  }

  @Override
  public void brokeOff(Connection connection, Arrival arrival) {
    ReceiveContext into = receive;
    if (into == null) {
      return;
    }
    if (arrival instanceof Receive posted) {
      returned.addFirst(posted);
    } else if (arrival instanceof Message message) {
      Receive claimant = message.claimant;
      if (claimant == null) {
        into.unexpected.remove(message);
      } else {
        returned.addFirst(claimant);
      }
      into.unexpected.release(message);
    }
  }

  /** A connection has been closed: what it was parked for is lost. */
  void dropped(Connection connection) {
    Message message = connection.parkedMessage;
    ReceiveContext into = receive;
    if (message != null && into != null) {
      connection.parkedMessage = null;
      into.unexpected.remove(message);
      into.unexpected.release(message);
    }
    cool(connection);
  }

  // Connections.

  void accept() {
    connections.accept();
  }

  /** A channel was closed, and selectors must let go of it. */
  void closedChannel() {
    channelsClosed = true;
  }

  /** Something is to be done sooner than those who sleep know. */
  void dueSooner() {
    interestChanged = true;
  }

  /** Notes what a connection waits for now. */
  void settle(Connection connection) {
    if (connection.state() != Connection.State.CLOSED
        && readiness.watch(connection, connection.interest())) {
      interestChanged = true;
    }
  }

  /** Reads and writes frames. */
  void move(Connection connection, int ready) {
    if ((ready & SelectionKey.OP_READ) != 0) {
      tryRead(connection);
    }
    if (connection.isOpen() && !connection.writer().isIdle()) {
      try {
        connection.write();
      } catch (IOException | RuntimeException failed) {
        // What the peer sent before it left is still there.
        drain(connection);
        connections.lost(connection, failed);
      } catch (Error failed) {
        connections.lost(connection, failed);
        throw failed;
      }
    }
    settle(connection);
  }

  /** Reads what a connection holds that is about to be closed, within a bound. */
  void drain(Connection connection) {
    for (int i = 0; i < TcpLimits.DRAINING_READS && tryRead(connection) > 0; i++) {
      // There may be more.
    }
  }

  /** Reads frames; says how many bytes came, which are none if the connection is lost. */
  private long tryRead(Connection connection) {
    if (connection.isOpen()) {
      try {
        return read(connection);
      } catch (IOException | RuntimeException failed) {
        connections.lost(connection, failed);
      } catch (Error failed) {
        // As a rule there is no memory. Where its next frame begins is not known any more.
        connections.lost(connection, failed);
        throw failed;
      }
    }
    return 0;
  }

  private long read(Connection connection) throws IOException {
    long count = connection.read();
    if (count < 0) {
      throw new EOFException("the peer has closed it");
    }
    if (count > 0) {
      connection.idleReads = 0;
      if (!connection.hot && !automatic) {
        heat(connection);
      }
    } else if (connection.hot && ++connection.idleReads > TcpLimits.IDLE_READS) {
      cool(connection);
    }
    return count;
  }

  private void heat(Connection connection) {
    Connection cooled = hot[hotTurn];
    if (cooled != null) {
      cooled.hot = false;
    } else {
      hotCount++;
    }
    hot[hotTurn] = connection;
    hotTurn = (hotTurn + 1) % hot.length;
    connection.hot = true;
  }

  private void cool(Connection connection) {
    if (connection.hot) {
      connection.hot = false;
      for (int i = 0; i < hot.length; i++) {
        if (connection.equals(hot[i])) {
          hot[i] = null;
          hotCount--;
          hotTurn = i;
        }
      }
    }
  }

  // Progress.

  @Override
  public void progress() {
    if (automatic) {
      lock.lock();
    } else if (!lock.tryLock()) {
      return;
    }
    try {
      if (!closed) {
        turn();
      }
    } finally {
      unlock();
    }
  }

  private void turn() {
    if (transmit != null) {
      transmit.reportKept();
    }
    if (receive != null) {
      receive.reportKept();
    }
    if (!automatic) {
      poll();
    }
    readiness.act();
    connections.tick();
  }

  private void poll() {
    if (hotCount > 0) {
      for (int i = 0; i < hot.length; i++) {
        Connection connection = hot[i];
        if (connection != null && connection.isOpen()) {
          move(connection, SelectionKey.OP_READ);
        }
      }
      if (++polls % TcpLimits.POLL_EVERY != 0) {
        return;
      }
    }
    try {
      readiness.poll();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "looking at connections failed: " + failed, failed);
    }
  }

  @Override
  public void prepare(Selector selector) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new ClosedChannelException();
      }
      readiness.prepare(selector);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void rest(Selector selector) {
    lock.lock();
    try {
      if (!closed) {
        readiness.rest(selector);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long patience() {
    return closed ? NEVER : connections.patience();
  }

  /** From now on the readers of its queues, or the domain's thread, move its data. */
  void join() {
    for (NetProgress engine : engines) {
      engine.add(this);
    }
  }

  @Override
  public void changed() {
    for (NetProgress engine : engines) {
      engine.changed(this);
    }
  }

  /** Ends all traffic. */
  void close() {
    lock.lock();
    try {
      closed = true;
      connections.close();
      readiness.close();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "closing a selector failed: " + failed, failed);
    } finally {
      lock.unlock();
      for (NetProgress engine : engines) {
        engine.remove(this);
      }
    }
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
