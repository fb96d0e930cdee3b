// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.matching.FullRoom;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Departure;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.SharedBounds;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The event loop of an endpoint's open connections: it reads and writes their frames, when a send
 * was posted or when progress is made. It decides which connections are read without asking the
 * selector and which sends wait for others ({@link WriteCoalescing}), keeps what the connections of
 * the endpoint share, and notes what threads that sleep must be told. A connection that it finds
 * lost it reports to the {@link Connection.Owner}. Guarded by the lock of the endpoint.
 */
public final class FrameMover {
  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  private final Readiness readiness;
  private final Staging.Pool buffers;
  private final ConnectionTotals totals = new ConnectionTotals();
  private final Rejections rejections = new Rejections(totals);
  private final boolean polled;
  private final LongSupplier clock;
  private final SharedBounds bounds;

  // Connections that had data lately. A selector costs more than a read in vain, so they are read
  // without asking it, until many reads in a row have brought nothing.
  private final List<Connection> hot = new ArrayList<>(TcpLimits.HOT);

  // Connections through shared memory that wait for space, of which they would not hear; and the
  // number of threads that may sleep in a selector.
  private final List<Connection> deaf = new ArrayList<>();
  private final AtomicInteger sleepers = new AtomicInteger();

  // Connections with sends that wait for others, or did so when progress was made last.
  private final List<Connection> held = new ArrayList<>();

  // Which turn it is.
  private int turn;

  // When the selector was asked last; bytes that were read in this turn, and whether the turn
  // has written what waited for others.
  private long askedAt = LONG_AGO;
  private long came;
  private boolean flushed;

  // Changes that threads in the selector must learn of once the lock is free.
  private volatile boolean interestChanged;
  private volatile boolean channelsClosed;

  // What is to be said then, and when something was.
  private final AtomicReference<@Nullable FullRoom> full = new AtomicReference<>();
  private long fullAt = LONG_AGO;

  /**
   * Moves nothing yet.
   *
   * @param buffers of the domain
   * @param polled whether {@link #poll} is called again and again; else another thread tells what
   *     is ready
   * @param clock the time in nanoseconds, from any origin
   */
  public FrameMover(Readiness readiness, Staging.Pool buffers, boolean polled, LongSupplier clock) {
    this.readiness = readiness;
    this.buffers = buffers;
    this.polled = polled;
    this.clock = clock;
    bounds = new SharedBounds(clock);
  }

  public Readiness readiness() {
    return readiness;
  }

  public Staging.Pool buffers() {
    return buffers;
  }

  public ConnectionTotals totals() {
    return totals;
  }

  public Rejections rejections() {
    return rejections;
  }

  public SharedBounds bounds() {
    return bounds;
  }

  /** Calls an action with each open connection. */
  public void forEachOpen(Consumer<Connection> action) {
    List<Connection> open = new ArrayList<>();
    readiness.forEach(each -> {
      if (each instanceof Connection connection) {
        open.add(connection);
      }
    });
    // An action may close other connections too.
    open.stream().filter(Connection::isOpen).forEach(action);
  }

  /** Ends all connections, as their endpoint is closed. */
  public void end(Trouble trouble) {
    readiness.forEach(each -> {
      if (each instanceof Connection connection) {
        connection.end(trouble);
      }
    });
  }

  // Sending.

  /** Sends over an open connection. */
  public void send(Connection connection, Send send) {
    // Behind others it goes out with them, when the kernel has space again.
    boolean first = !connection.writer().isBlocked();
    connection.writer().add(send);
    if (first) {
      if (waits(connection, send)) {
        hold(connection);
      } else {
        move(connection, SelectionKey.OP_WRITE);
      }
    }
  }

  private boolean waits(Connection connection, Send send) {
    WriteCoalescing coalescing = connection.coalescing;
    if (coalescing == null) {
      if (send.departure == Departure.AT_ONCE) {
        return false;
      }
      coalescing = new WriteCoalescing(clock);
      connection.coalescing = coalescing;
    }
    return coalescing.waits(send.departure, send.payload, connection.writer().queued(), turn);
  }

  /**
   * Leaves a frame in the queue until the next one that does not wait takes it along, or a thread
   * makes progress. A thread that sleeps is woken for that, as the last one may never be posted.
   */
  private void hold(Connection connection) {
    if (!connection.held) {
      connection.held = true;
      held.add(connection);
    }
    if (connection.writer().queued() == 1) {
      interestChanged = true;
    }
  }

  /** Writes what waits for others. */
  public void writeHeld() {
    for (int i = held.size() - 1; i >= 0; i--) {
      Connection connection = held.remove(i);
      connection.held = false;
      if (connection.isOpen()) {
        if (connection.coalescing != null) {
          connection.coalescing.ended(connection.writer().queued());
        }
        move(connection, SelectionKey.OP_WRITE);
      }
    }
  }

  /**
   * Returns whether frames may wait for others. Without the lock, a thread may not see those of
   * other threads.
   */
  public boolean mayHold() {
    return !held.isEmpty();
  }

  /** Returns whether frames wait for others that may never be posted. */
  public boolean isHolding() {
    for (int i = 0; i < held.size(); i++) {
      if (!held.get(i).isIdle()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Writes what was queued for a connection just now, unless the kernel has no space. In the middle
   * of a read of the connection this is left to the {@link #move} that reads: a write that fails
   * reads what the peer sent before it left, which belongs behind the bytes at hand.
   */
  public void write(Connection connection) {
    if (!connection.writer().isBlocked() && !connection.reader().isParsing()) {
      move(connection, SelectionKey.OP_WRITE);
    }
  }

  // Moving the frames of one connection.

  /** Reads and writes frames. */
  public void move(Connection connection, int ready) {
    long before = connection.writer().written();
    if ((ready & SelectionKey.OP_READ) != 0 || connection.hasBuffered()) {
      read(connection);
    }
    writeFrames(connection);
    if (connection.canAnswer()) {
      answer(connection, before);
    }
    settle(connection);
  }

  /**
   * Takes read requests that wait, as far as the answers leave at once, within a turn.
   *
   * @param before the bytes that had been written when the turn began
   */
  private void answer(Connection connection, long before) {
    long end = bounds.endOfTurn();
    for (int i = 0; i < TcpLimits.READS && connection.canAnswer(); i++) {
      if (connection.writer().written() - before >= bounds.turnSize()
          || (i > 0 && bounds.isOver(end))) {
        return;
      }
      goOn(connection, null);
      writeFrames(connection);
    }
  }

  private void writeFrames(Connection connection) {
    if (connection.isOpen() && !connection.isIdle()) {
      try {
        connection.writeFrames();
        if (polled && connection.isBlockedInMemory()) {
          heat(connection);
        }
      } catch (IOException | RuntimeException failed) {
        // What the peer sent before it left is still there.
        drain(connection);
        connection.lost(failed);
      } catch (Error failed) {
        lose(connection, failed);
      }
    }
  }

  /**
   * Reports a connection as lost, and throws what is worse than that, such as lack of memory. A
   * peer that cuts the file of shared memory causes an {@link InternalError}, which is no worse.
   */
  private static void lose(Connection connection, Throwable failed) {
    connection.lost(failed);
    if (failed instanceof Error worse && !(failed instanceof InternalError)) {
      throw worse;
    }
  }

  /**
   * Reads on from a connection that was paused.
   *
   * @param to where the payload of the frame goes that it was paused for; null to ask for that
   *     again
   */
  public void resume(Connection connection, @Nullable Arrival to) {
    goOn(connection, to);
    move(connection, SelectionKey.OP_READ);
  }

  /** Goes through what was read from a paused connection. */
  private void goOn(Connection connection, @Nullable Arrival to) {
    try {
      connection.reader().resume(to);
    } catch (IOException | RuntimeException | Error failed) {
      lose(connection, failed);
    }
  }

  /**
   * Reads what a connection holds that is about to be closed, within a bound; what is to be
   * answered is not written.
   */
  void drain(Connection connection) {
    connection.reader().readAll(true);
    connection.lookAtSocket();
    for (int i = 0; i < TcpLimits.DRAINING_READS && read(connection) > 0; i++) {
      // There may be more.
    }
    connection.reader().readAll(false);
    if (connection.isOpen()) {
      listen(connection);
    }
  }

  /** Reads on behind the frame that a connection is paused for. */
  void readAhead(Connection connection) {
    try {
      connection.readAhead();
    } catch (IOException | RuntimeException | Error failed) {
      lose(connection, failed);
    }
    if (connection.isOpen()) {
      listen(connection);
    }
  }

  /**
   * Reads frames.
   *
   * @return how many bytes came; 0 if the connection is lost
   */
  private long read(Connection connection) {
    if (!connection.isOpen()) {
      return 0;
    }
    try {
      long count = connection.read();
      if (count < 0) {
        throw new EOFException("the peer has closed it");
      }
      if (count > 0 && connection.writer().isSilent()) {
        connection.closing.heard();
      }
      if (count > 0 && connection.coalescing != null) {
        connection.coalescing.end();
      }
      if (polled) {
        noteRead(connection, count);
      }
      return count;
    } catch (IOException | RuntimeException | Error failed) {
      // After an Error, mostly an OutOfMemoryError, the start of the next frame is unknown.
      lose(connection, failed);
      return 0;
    }
  }

  private void noteRead(Connection connection, long count) {
    came += Math.max(count, 0);
    if (count > 0 && connection.isOpen()) {
      heat(connection);
    } else if (connection.isHot() && ++connection.idleReads > TcpLimits.IDLE_READS) {
      cool(connection);
    }
  }

  private void heat(Connection connection) {
    if (!connection.isHot()) {
      if (hot.size() == TcpLimits.HOT) {
        Connection before = hot.getFirst();
        cool(before);
        listen(before);
      }
      hot.add(connection);
    }
    connection.idleReads = 0;
    // Over the socket of shared memory comes nothing but the bell.
    readiness.readAnyway(connection, !connection.sharesMemory());
  }

  private void cool(Connection connection) {
    if (connection.isHot()) {
      connection.idleReads = Connection.NOT_HOT;
      hot.remove(connection);
      readiness.readAnyway(connection, false);
    }
  }

  // Polling.

  /** Lets connections that are ready do what they can. They share a turn. */
  public void act() {
    bounds.divideTurn(readiness.countReady());
    try {
      readiness.act();
    } finally {
      bounds.divideTurn(1);
    }
  }

  /** Begins a turn: writes what waits for others. */
  public void beginTurn() {
    turn++;
    flushed = !held.isEmpty();
    if (flushed) {
      writeHeld();
    }
  }

  /** Looks for connections that have data or space, without waiting. */
  public void poll() {
    came = 0;
    // If one cools while it is read, the next one is skipped, and has its turn at the next poll.
    for (int i = 0; i < hot.size(); i++) {
      Connection connection = hot.get(i);
      if (!connection.isReady()) {
        move(connection, SelectionKey.OP_READ);
      }
    }
    if (!hot.isEmpty() || flushed) {
      long now = clock.getAsLong();
      // A thread that slept in a selector knows just now what is ready, and one that sends goes on.
      boolean known = came > 0 || flushed || readiness.hasReady();
      long pause = known ? TcpLimits.ASK_AT_LAST : TcpLimits.ASK_PAUSE;
      if (now - askedAt < pause) {
        return;
      }
      askedAt = now;
    }
    try {
      readiness.poll();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "looking at connections failed: " + failed, failed);
    }
  }

  /**
   * Returns whether connections were read and nothing came, nor is more of a frame about to come:
   * that is worth looking for again at once.
   */
  public boolean readInVain() {
    if (came > 0 || hot.isEmpty()) {
      return false;
    }
    for (int i = 0; i < hot.size(); i++) {
      if (hot.get(i).reader().isInPayload() || hot.get(i).sharesMemory()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether connections through shared memory are read without asking. */
  public boolean isWatched() {
    for (int i = 0; i < hot.size(); i++) {
      if (hot.get(i).sharesMemory()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether one of them has data, or has ended in a way that a read finds. */
  public boolean hasArrived() {
    for (int i = 0; i < hot.size(); i++) {
      ConnectionMemory memory = hot.get(i).memory();
      if (memory != null && memory.hasArrived()) {
        return true;
      }
    }
    return false;
  }

  /** Notes what a connection waits for now. */
  public void settle(Connection connection) {
    ConnectionMemory memory = connection.memory();
    if (memory != null && connection.isOpen()) {
      settle(connection, memory);
    }
    if (connection.state() != Connection.State.CLOSED
        && readiness.watch(connection, connection.interest())) {
      interestChanged = true;
    }
    if (!connection.isHot() || sleepers.get() > 0) {
      listen(connection);
    }
  }

  private void settle(Connection connection, ConnectionMemory memory) {
    try {
      if (!connection.reader().isParsing() && connection.moveIntoMemory()) {
        writeFrames(connection);
      }
      if (memory.isDeaf() && !deaf.contains(connection)) {
        deaf.add(connection);
        connection.lookSoon();
      }
    } catch (InternalError cut) {
      connection.lost(cut);
    }
  }

  /** Writes over connections whose peers cannot tell that there is space for frames. */
  public void writeDeaf() {
    for (int i = deaf.size() - 1; i >= 0; i--) {
      // One that is written over may have others closed, which are deaf no more then.
      Connection connection = i < deaf.size() ? deaf.remove(i) : null;
      if (connection != null && connection.isOpen()) {
        move(connection, SelectionKey.OP_WRITE);
      }
    }
  }

  /**
   * Counts threads of manual progress that are about to sleep in a selector, and those that have
   * slept. As long as one may sleep, connections that others read without asking ring for it.
   */
  public void sleeper(boolean sleeps) {
    sleepers.getAndAdd(sleeps ? 1 : -1);
  }

  /** Has the bell rung when shared memory of a connection is worth looking at. */
  private boolean listen(Connection connection) {
    try {
      boolean now = connection.listen();
      if (now) {
        interestChanged = true;
      }
      return now;
    } catch (IOException | InternalError nonsense) {
      connection.lost(nonsense);
      return true;
    }
  }

  /**
   * Has the bells rung of all connections that are read without asking, before a thread sleeps.
   *
   * @return whether there is something to do already
   */
  public boolean listen() {
    boolean now = false;
    // One that is found lost is hot no more.
    for (int i = hot.size() - 1; i >= 0; i--) {
      if (i < hot.size() && listen(hot.get(i))) {
        now = true;
      }
    }
    return now;
  }

  /** A connection is about to be closed, or has been: it is not read or written any more. */
  public void forget(Connection connection) {
    readiness.forget(connection);
    cool(connection);
    deaf.remove(connection);
    if (connection.held) {
      connection.held = false;
      held.remove(connection);
    }
    channelsClosed = true;
  }

  // News for threads that sleep, and for the log: noted under the lock, polled without it.

  /** There is no space for a message; said once in a while at most, as peers may be hostile. */
  public void full(Supplier<FullRoom> why) {
    long now = clock.getAsLong();
    if (now - fullAt >= TcpLimits.FULL_ROOM_PAUSE) {
      fullAt = now;
      full.set(why.get());
    }
  }

  /** Why there was no space for a message since this was last asked; null if there was. */
  public @Nullable FullRoom pollFull() {
    return full.get() == null ? null : full.getAndSet(null);
  }

  /** Something is to be done sooner than threads that sleep know. */
  public void dueSooner() {
    interestChanged = true;
  }

  /** Whether threads that sleep must look again since this was last asked. */
  public boolean pollInterestChanged() {
    boolean changed = interestChanged;
    if (changed) {
      interestChanged = false;
    }
    return changed;
  }

  /** Whether channels were closed, of which selectors must let go, since this was last asked. */
  public boolean pollChannelsClosed() {
    boolean closed = channelsClosed;
    if (closed) {
      channelsClosed = false;
    }
    return closed;
  }
}
