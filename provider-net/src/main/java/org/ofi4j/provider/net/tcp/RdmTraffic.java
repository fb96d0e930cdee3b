package org.ofi4j.provider.net.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.endpoint.Traffic;

/**
 * A reliable endpoint that is enabled. One lock guards everything below it; it is never held while
 * a thread waits or an application's code runs.
 */
final class RdmTraffic extends Traffic implements FrameHandler {
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long DISCARD = TransferFlag.DISCARD.mask();

  private final @Nullable TransmitContext transmit;
  private final @Nullable ReceiveContext receive;
  private final @Nullable Matching matching;
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
          Listener.socket(info, domain.info()),
          timeout);
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector for the endpoint: " + failed + "; raise the limit of open files",
          failed);
    } catch (FabricException noAddress) {
      Quietly.close(own);
      throw noAddress;
    }
  }

  private RdmTraffic(
      EndpointDomain domain,
      FabricInfo info,
      CoreAddressVector vector,
      @Nullable Binding transmit,
      @Nullable Binding receive,
      @Nullable Selector own,
      LocalSocket<ServerSocketChannel> socket,
      long timeout) {
    super(SocketAddresses.inFormat(socket.name(), info.addressFormat()), transmit, receive);
    automatic = own == null;
    this.transmit = transmit == null ? null : new TransmitContext(transmit, info.transmit().size());
    this.receive =
        receive == null
            ? null
            : new ReceiveContext(
                receive,
                vector,
                Sources.of(info),
                info.receive().size(),
                DirectedReceives.of(info).any());
    matching = this.receive == null ? null : new Matching(this.receive, this);
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
   * @param message the message
   * @param parts what it is gathered from instead, if there are any
   * @param operation {@link FrameHeader#MESSAGE} or {@link FrameHeader#TAGGED}
   * @param frameFlags flags of the frame
   */
  void send(
      TransmitContext from,
      MemorySegment message,
      MemorySegment @Nullable [] parts,
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
      send.message.set(message, parts);
      send.payload = send.message.length();
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

  /**
   * Posts a buffer for a message, or for several ones, or asks for one that has come.
   *
   * @param buffer takes the message
   * @param parts take it instead, one after the other, if there are any
   * @param source the handle of the only sender, or {@link Handles#UNSPECIFIED}
   * @param flags bits of {@link TransferFlag}
   */
  void receive(
      ReceiveContext into,
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      boolean tagged,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      boolean silent,
      long flags) {
    lock();
    try {
      long life = Receive.UNDIRECTED;
      Peer sender = null;
      if (source != Handles.UNSPECIFIED) {
        life = connections.life(source);
        sender = connections.sender(source, life);
      }
      Receive receive = into.take(tagged);
      receive.buffer.set(buffer, parts);
      receive.room = receive.buffer.length();
      receive.key.tag = tag & ~ignore;
      receive.key.from = sender;
      receive.directedAt = source;
      receive.life = life;
      receive.ignore = ignore;
      receive.context = context;
      receive.silent = silent;
      receive.several = (flags & MULTI_RECEIVE) != 0;
      Matching matches = Objects.requireNonNull(matching);
      if ((flags & PEEK) != 0) {
        matches.peek(receive, (flags & CLAIM) != 0, (flags & DISCARD) != 0);
      } else if ((flags & CLAIM) != 0) {
        matches.claim(receive, (flags & DISCARD) != 0);
      } else {
        matches.post(receive);
      }
      matches.goOn();
    } finally {
      unlock();
    }
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  boolean cancel(ReceiveContext from, @Nullable Object context) {
    lock();
    try {
      return from.cancel(context);
    } finally {
      unlock();
    }
  }

  /** How much of a buffer for several messages must be left for it to take another one. */
  void minMultiReceive(ReceiveContext into, long bytes) {
    lock();
    try {
      into.minMultiReceive = bytes;
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
    if (!closed && matching != null && matching.isBehind()) {
      matching.goOn();
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
      closedChannels();
    }
  }

  // Messages.

  /** Reads on from a connection that was parked. */
  void resume(Connection connection, Arrival to) {
    try {
      connection.reader().resume(to);
    } catch (IOException | RuntimeException rubbish) {
      connections.lost(connection, rubbish);
    } catch (Error failed) {
      connections.lost(connection, failed);
      throw failed;
    }
    move(connection, SelectionKey.OP_READ);
  }

  @Override
  public @Nullable Arrival begin(Connection connection, FrameHeader header)
      throws ProtocolException {
    Peer from = connection.peer;
    if (from == null || matching == null || header.operation() > FrameHeader.TAGGED) {
      throw new ProtocolException("a frame came that this endpoint does not take");
    }
    return matching.begin(connection, from, header);
  }

  @Override
  public void whole(Connection connection, FrameHeader header, Arrival arrival) {
    if ((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0) {
      connection.writer().acknowledge();
    }
    Peer from = connection.peer;
    if (from != null && matching != null) {
      matching.whole(from, header, arrival);
    }
  }

  @Override
  public void unusable(Connection connection, Arrival arrival, Throwable failed) {
    if (matching != null) {
      matching.unusable(arrival, failed);
    }
  }

  @Override
  public void brokeOff(Connection connection, Arrival arrival) {
    if (matching != null) {
      matching.brokeOff(arrival);
    }
  }

  /** A connection has been closed. */
  void dropped(Connection connection) {
    if (matching != null) {
      matching.dropped(connection);
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
    if (matching != null) {
      matching.goOn();
    }
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

  @Override
  protected void end() {
    lock.lock();
    try {
      closed = true;
      connections.close();
      readiness.close();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "closing a selector failed: " + failed, failed);
    } finally {
      lock.unlock();
    }
  }
}
