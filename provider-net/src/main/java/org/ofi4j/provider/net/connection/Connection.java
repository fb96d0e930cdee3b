// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.sharedmemory.MemorySharing;
import org.ofi4j.provider.net.sharedmemory.SharedMemoryChannel;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Credit;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.FrameReader;
import org.ofi4j.provider.net.transfer.FrameWriter;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.Shortage;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * One TCP connection, from the first attempt until it is closed: its channel, with TLS or without,
 * its state, and the {@link FrameReader} and {@link FrameWriter} of its frames. Its {@link Owner}
 * opens it and decides what becomes of it; the {@code FrameMover} of the endpoint has it read and
 * write. State of active connections is made when it is needed first, because an endpoint may have
 * thousands that are idle. Guarded by the lock of the endpoint.
 */
public final class Connection extends Readiness.Watched implements Link {
  /** The {@link #idleReads} of a connection that a selector is asked about. */
  static final int NOT_HOT = -1;

  /** How far it is. */
  public enum State {
    /** TCP is connecting. */
    CONNECTING,
    /** Our request is out. */
    REQUESTED,
    /** Accepted; the other side has not said yet who it is. */
    GREETING,
    /** Frames go both ways. */
    OPEN,
    /** Of no use any more. */
    CLOSED
  }

  /**
   * The part of an endpoint that opens or accepts connections and decides what becomes of each. A
   * {@link Connection} reports to its owner what happens to it, and the owner has its {@link
   * FrameMover} move the frames. What no channel reports, such as a timeout, the owner does when
   * its time has come: it collects the times, and threads that are about to sleep ask for the first
   * one.
   *
   * <p>Guarded by the lock of the endpoint, except for {@link #patience}.
   */
  public abstract static class Owner {
    private static final long NEVER = Long.MAX_VALUE;

    protected final FrameMover mover;
    private final Security security;

    private final long origin = System.nanoTime();

    // Times since origin, so that one volatile says both whether and when: a thread that is about
    // to sleep must not read that nothing is due while the next time is being found out.
    private volatile long due = NEVER;
    private boolean collecting;
    private long collected;

    /**
     * An owner of no connection yet.
     *
     * @param security TLS of its connections, if they have it
     */
    protected Owner(FrameMover mover, Security security) {
      this.mover = mover;
      this.security = security;
    }

    /**
     * Makes a connection of a channel over which nothing has gone yet.
     *
     * @param state whether this side connects or has accepted it
     * @throws IOException if TLS cannot be set up; the channel stays open
     */
    protected final Connection connection(
        SocketChannel channel, InetSocketAddress peer, State state) throws IOException {
      boolean connects = state == State.CONNECTING;
      return new Connection(channel, security.over(channel, peer, connects), state, this);
    }

    /** Returns what gives the frames of a new connection a meaning. */
    protected abstract FrameHandler handler(Connection connection);

    /** Does what a connection is ready for. */
    public final void act(Connection connection, int ready) {
      try {
        proceed(connection, ready);
      } catch (IOException | RuntimeException failed) {
        lost(connection, failed);
      }
      mover.settle(connection);
    }

    /**
     * Goes on with a connection that is ready.
     *
     * @throws IOException if the connection is lost
     */
    protected abstract void proceed(Connection connection, int ready) throws IOException;

    /** Closes a connection that is of no use any more. Does nothing the second time. */
    public final void lost(Connection connection, Throwable failed) {
      if (connection.state() != State.CLOSED) {
        if (failed instanceof ProtocolException rubbish) {
          mover.rejections().note(connection.channel, rubbish);
        }
        ended(connection, failed);
      }
    }

    /** Closes a connection that is of no use any more, and is not closed yet. */
    protected abstract void ended(Connection connection, Throwable failed);

    /** Returns the memory that connections share with peers on this host. */
    protected MemorySharing sharing() {
      return MemorySharing.NONE;
    }

    /** Hears that a connection goes through shared memory from now on. */
    protected void shared(Connection connection) {
      mover.totals().shared(true);
    }

    /** Returns whether a connection over which nothing is under way could be opened again. */
    protected boolean isSpare(Connection connection) {
      return false;
    }

    /**
     * Closes all connections, and drops what is posted. What the kernel has been given still goes
     * out. Goes on to the end whatever goes wrong.
     */
    public abstract void close(Trouble trouble);

    /** Closes a connection over which nothing was ever sent. */
    public final void discard(Connection connection) {
      mover.forget(connection);
      connection.abandon();
    }

    /** Returns whether no more connections are accepted. */
    final boolean isFull() {
      return mover.readiness().size() >= TcpLimits.MAX_CONNECTIONS;
    }

    // Time.

    /** Returns the time in nanoseconds since this owner was made. */
    public final long now() {
      return System.nanoTime() - origin;
    }

    /** Notes a time at which something is to be done. */
    public final void dueAt(long time) {
      if (collecting) {
        collected = Math.min(collected, time);
      } else if (time < due) {
        due = time;
        mover.dueSooner();
      }
    }

    /**
     * Returns nanoseconds until {@link #tick()} has something to do; {@link Long#MAX_VALUE} for
     * never. For any thread.
     */
    public final long patience() {
      long time = due;
      return time == NEVER ? NEVER : Math.max(0, time - now());
    }

    /** Does what the time has come for. */
    public final void tick() {
      long time = due;
      if (time == NEVER || now() < time) {
        return;
      }
      collecting = true;
      collected = NEVER;
      try {
        tick(now());
      } finally {
        collecting = false;
        due = collected;
      }
    }

    /** Does what the time has come for, and notes again all times that still count. */
    protected abstract void tick(long now);
  }

  private final SocketChannel channel;
  private final @Nullable SecureChannel secure;
  private final Owner owner;
  private final FrameReader reader;
  private final FrameWriter writer;
  private State state;
  private final FrameHandler handler;
  private @Nullable Credit credit;

  // Null until it is open, and if the peer is not on this host.
  private @Nullable ConnectionMemory memory;
  private boolean isCounted;
  // Of messages before frames; null once there are no more.
  private @Nullable ConnectionMessage greeting = new ConnectionMessage();
  private boolean announcing;
  private Agreement agreement = Agreement.NONE;

  /** How its ends find out that they hold the same key; null without keys. */
  @Nullable KeyDialogue dialogue;

  /** Whether sends waited for it when it became open. */
  boolean awaited;

  /** Requests of its peer that were refused since it is open. */
  int refusals;

  /** Whose connection it is; null as long as that is not known. */
  public @Nullable Peer peer;

  /** Tells one incarnation of the peer from another; 0 if not known. */
  int incarnation;

  /** What had come and gone when it was looked at last, and when the last sign of life was seen. */
  long receivedBefore;

  long writtenBefore;
  long heardAt;

  /** When it must have introduced itself. */
  public long deadline;

  /** Whether frames of it wait for those that follow. */
  boolean held;

  /** Which sends wait for others; null until one might. */
  @Nullable WriteCoalescing coalescing;

  /**
   * How many reads in a row have brought nothing, if it has data often and is read without asking a
   * selector; else {@link #NOT_HOT}.
   */
  int idleReads = NOT_HOT;

  /** Returns whether it is read without asking a selector. */
  boolean isHot() {
    return idleReads != NOT_HOT;
  }

  /** How it is closed if nobody needs it. */
  public final IdleClosing closing;

  /**
   * A connection over a channel.
   *
   * @param secure TLS over the channel, or null for a connection in the clear
   */
  @SuppressWarnings("this-escape") // kept for later
  public Connection(
      SocketChannel channel, @Nullable SecureChannel secure, State state, Owner owner) {
    FrameMover mover = owner.mover;
    super(mover.readiness(), channel);
    this.channel = channel;
    this.secure = secure;
    this.state = state;
    this.owner = owner;
    handler = owner.handler(this);
    reader = new FrameReader(handler, mover.bounds(), mover.buffers());
    writer = new FrameWriter(mover.bounds(), mover.buffers());
    closing = new IdleClosing(this);
    if (secure != null) {
      secure.handshake.tell(() -> ready(SelectionKey.OP_READ).changed());
    }
  }

  /** Begins to connect; says whether TCP has connected already. */
  public boolean connect(InetSocketAddress to) throws IOException {
    return channel.connect(to) && isToAnother(channel);
  }

  public boolean finishConnect() throws IOException {
    return channel.finishConnect() && isToAnother(channel);
  }

  /**
   * Refuses a connection to itself: to a port of this host at which nobody listens, from a socket
   * that has been given just that port.
   */
  static boolean isToAnother(SocketChannel connected) throws IOException {
    if (connected.getRemoteAddress().equals(connected.getLocalAddress())) {
      throw new ConnectException("Connection refused: nobody listens there");
    }
    return true;
  }

  public State state() {
    return state;
  }

  @Override
  public boolean isOpen() {
    return state == State.OPEN;
  }

  /** The socket; what goes over it goes through {@link #in} and {@link #out}. */
  public SocketChannel channel() {
    return channel;
  }

  public @Nullable SecureChannel secure() {
    return secure;
  }

  public ReadableByteChannel in() {
    SharedMemoryChannel shared = shared();
    return shared != null ? shared : socketIn();
  }

  private @Nullable SharedMemoryChannel shared() {
    return memory == null ? null : memory.channel();
  }

  private ReadableByteChannel socketIn() {
    return secure == null ? channel : secure;
  }

  @Override
  public GatheringByteChannel out() {
    SharedMemoryChannel shared = shared();
    return shared != null ? shared : socketOut();
  }

  private GatheringByteChannel socketOut() {
    return secure == null ? channel : secure;
  }

  /** Returns what moves the connection into memory; null if the peer is not on this host. */
  @Nullable ConnectionMemory memory() {
    return memory;
  }

  /** A frame about shared memory has come. */
  public void memoryFrame(FrameHeader header) throws ProtocolException {
    if (memory == null || header.payload() != 0) {
      throw new ProtocolException("a frame about shared memory came that was not agreed on");
    }
    memory.came(header);
  }

  /** Returns whether it goes through shared memory, or memory is offered to the peer. */
  boolean sharesMemory() {
    return shared() != null;
  }

  /**
   * Goes on with the move into memory, between two reads.
   *
   * @return whether there is a frame to write
   */
  boolean moveIntoMemory() {
    boolean hasFrame = memory != null && memory.move();
    if (memory != null && !isCounted && memory.isShared()) {
      isCounted = true;
      owner.shared(this);
    }
    return hasFrame;
  }

  /**
   * Has the peer ring when there is something to do in memory; returns whether there is already.
   */
  boolean listen() throws IOException {
    int ready = memory == null ? 0 : memory.listen(!hasUnsent());
    if (ready != 0) {
      ready(ready);
    }
    return ready != 0;
  }

  /** Has its owner make progress soon, though no channel may become ready. */
  void lookSoon() {
    owner.dueAt(owner.now() + TcpLimits.FIRST_PAUSE);
  }

  /** Looks at the socket too when it is read next, and not only at shared memory. */
  void lookAtSocket() {
    SharedMemoryChannel shared = shared();
    if (shared != null) {
      shared.socketReady();
    }
  }

  /** Whether there is something to read of which no selector knows. */
  public boolean hasBuffered() {
    return secure != null && secure.hasBuffered();
  }

  /** Whether there is nothing to write. */
  boolean isIdle() {
    return writer.isIdle() && !hasUnsent();
  }

  /** Whether nothing is on its way in either direction, and nobody waits for anything. */
  @Override
  public boolean isAtRest() {
    return writer.isAtRest()
        && !hasUnsent()
        && !reader.isInPayload()
        && !reader.isPaused()
        && reader.partial() == 0
        && handler.isAtRest()
        && owner.isSpare(this);
  }

  private boolean hasUnsent() {
    return secure != null && secure.hasUnsent();
  }

  /** Whether large messages may be announced. */
  public boolean isAnnouncing() {
    return announcing;
  }

  @Override
  public Agreement agreement() {
    return agreement;
  }

  @Override
  public Credit credit() {
    Credit present = credit;
    if (present == null) {
      present = new Credit(agreement.ownRoom());
      credit = present;
    }
    return present;
  }

  @Override
  public FrameWriter writer() {
    return writer;
  }

  FrameHandler handler() {
    return handler;
  }

  @Override
  public FrameReader reader() {
    return reader;
  }

  @Override
  public void write() {
    owner.mover.write(this);
  }

  @Override
  public void resume(@Nullable Arrival to) {
    owner.mover.resume(this, to);
  }

  /** What the connection waits for now. */
  int interest() {
    return switch (state) {
      case CONNECTING -> SelectionKey.OP_CONNECT;
      case REQUESTED, GREETING ->
          (secure != null && secure.handshake.isBusy() ? 0 : SelectionKey.OP_READ)
              | (hasUnsent() ? SelectionKey.OP_WRITE : 0);
      case OPEN ->
          (readsSocket() ? SelectionKey.OP_READ : 0)
              | (waitsForSocket() || hasUnsent() || canAnswer() ? SelectionKey.OP_WRITE : 0);
      case CLOSED -> 0;
    };
  }

  /** Whether what comes over the socket is of interest: always a bell, and not its end twice. */
  private boolean readsSocket() {
    SharedMemoryChannel shared = shared();
    if (shared != null && shared.readsRing()) {
      return !shared.isEnded();
    }
    return !reader.isPaused();
  }

  /** Whether frames wait for space in shared memory. */
  boolean isBlockedInMemory() {
    return memory != null && memory.isBlocked();
  }

  private boolean waitsForSocket() {
    return writer.isBlocked() && !isBlockedInMemory();
  }

  /** Whether it is paused before a read request, and there is room for many answers again. */
  boolean canAnswer() {
    return state == State.OPEN
        && reader.shortage() == Shortage.ANSWERS
        && writer.answers() <= TcpLimits.ANSWERS / 2;
  }

  @Override
  void act(int ready) {
    if ((ready & SelectionKey.OP_READ) != 0) {
      lookAtSocket();
    }
    owner.act(this, ready);
  }

  @Override
  public void lost(Throwable failed) {
    owner.lost(this, failed);
  }

  /** TCP has connected, and our request is out. */
  public void requested() {
    state = State.REQUESTED;
  }

  /**
   * Frames may go both ways from now on.
   *
   * @param agreed what else was agreed on
   */
  public void opened(ByteOrder itsOrder, boolean isAnnouncing, Agreement agreed) {
    boolean accepted = state == State.GREETING;
    owner.mover.totals().opened(accepted);
    state = State.OPEN;
    announcing = isAnnouncing;
    agreement = agreed;
    credit = null;
    if (agreed.canShareMemory()) {
      memory = new ConnectionMemory(this, socketIn(), socketOut(), accepted, owner.sharing());
    }
    writer.room(agreed.itsRoom());
    writer.open(itsOrder, isAnnouncing, agreed.isWithOfi4j());
    reader.open(itsOrder, agreed);
    greeting = null;
    dialogue = null;
  }

  /** Returns the connection message that comes over it, or has come last. */
  public ConnectionMessage greeting() throws ProtocolException {
    ConnectionMessage present = greeting;
    if (present == null) {
      throw new ProtocolException("a second connection message came");
    }
    return present;
  }

  /**
   * Reads on in the connection message, and nothing behind it.
   *
   * @return whether the message is there as a whole
   * @throws IOException if it is none, or the connection has ended
   */
  public boolean readGreeting() throws IOException {
    return greeting().read(in(), state == State.GREETING);
  }

  /** Reads frames; -1 at the end of the stream. */
  long read() throws IOException {
    SecureChannel buffering = secure;
    return buffering == null ? reader.read(in()) : read(buffering);
  }

  /** Reads on behind the frame that it is paused for; says how many bytes came. */
  int readAhead() throws IOException {
    lookAtSocket();
    return reader.readAhead(in());
  }

  /** Reads what was received with the rest too, as no selector would tell of it. */
  private long read(SecureChannel buffering) throws IOException {
    if (buffering.hasBuffered()) {
      lookAtSocket();
    }
    long total = reader.read(in());
    buffering.rest(true);
    try {
      long more = total;
      while (more > 0 && buffering.hasBuffered() && !reader.isPaused()) {
        lookAtSocket();
        more = reader.read(in());
        total += Math.max(0, more);
      }
      return total;
    } finally {
      buffering.rest(false);
    }
  }

  /** Writes frames, as far as the kernel takes them; says whether it would take more. */
  boolean writeFrames() throws IOException {
    return (secure == null || secure.proceed())
        && (memory == null || memory.hasSpace())
        && writer.write(out());
  }

  /**
   * Closes it.
   *
   * @param untouched takes the sends of which nothing is out
   * @param errno why the others fail
   */
  public void close(Operations<Send> untouched, Errno errno, String reason) {
    ended();
    reader.close();
    writer.close(untouched, errno, reason);
    abandon();
  }

  private void ended() {
    if (isOpen()) {
      owner.mover.totals().closed();
    }
    state = State.CLOSED;
    greeting = null;
    dialogue = null;
  }

  /** Closes it and forgets what was to go over it, without a word to anybody. */
  public void abandon() {
    ended();
    Quietly.close(secure == null ? channel : secure);
    if (isCounted) {
      isCounted = false;
      owner.mover.totals().shared(false);
    }
    if (memory != null) {
      memory.close();
    }
  }

  /**
   * Closes it as its endpoint is closed: in good order if it is open and that can be had, and in
   * any case.
   */
  public void end(Trouble trouble) {
    try {
      if (isOpen()) {
        finish();
      }
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    } finally {
      abandon();
    }
  }

  /**
   * Ends what is sent over it in good order. A socket that is closed with bytes unread makes the
   * peer lose what it has not read itself.
   */
  public void finish() {
    Staging staging = owner.mover.buffers().borrow();
    try (staging) {
      int writes = 0;
      while (writeFrames() && ++writes < TcpLimits.LAST_WRITES) {
        // The rest is lost.
      }
      if (secure != null) {
        secure.finish();
      }
      channel.shutdownOutput();
      int reads = 0;
      while (reads++ < TcpLimits.LAST_READS && channel.read(staging.buffer.clear()) > 0) {
        // Nobody wants it any more.
      }
    } catch (IOException | RuntimeException | InternalError alreadyLost) {
      // Closing it is all that is left.
    }
  }

  @Override
  public String toString() {
    return "connection to " + (peer == null ? "an unknown peer" : peer) + ", " + state;
  }
}
