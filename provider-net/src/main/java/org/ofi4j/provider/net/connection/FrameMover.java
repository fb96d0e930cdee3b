// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.matching.FullRoom;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Departure;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.SharedBounds;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Reads and writes the frames of an endpoint's open connections, and notes what those who sleep
 * must be told of it. What it finds lost it reports to the owner of the connection. Guarded by the
 * lock of the endpoint.
 */
public final class FrameMover {
  private final Readiness readiness;
  private final boolean polled;
  private final HotConnections hot;

  /** Connections with frames that wait for others, or did so when progress was made last. */
  private final List<Connection> held = new ArrayList<>();

  private final LongSupplier clock;

  // Which turn it is.
  private int turn;

  // When the selector was asked last, if it was.
  private boolean asked;
  private long askedAt;
  private long came;

  private final SharedBounds bounds;

  // What those who sleep must be told once the lock is free.
  private boolean interestChanged;
  private boolean channelsClosed;

  // What is to be said then, and when something was.
  private @Nullable FullRoom full;
  private boolean wasFull;
  private long fullAt;

  /**
   * Moves nothing yet.
   *
   * @param polled whether {@link #poll} is called again and again; else another thread tells what
   *     is ready
   * @param clock the time in nanoseconds, from any origin
   */
  public FrameMover(Readiness readiness, boolean polled, LongSupplier clock) {
    this.readiness = readiness;
    this.polled = polled;
    this.clock = clock;
    bounds = new SharedBounds(clock);
    hot = new HotConnections(readiness);
  }

  /** Sends over an open connection. */
  public void send(Connection connection, Send send) {
    // Behind others it goes out with them, when the kernel has room again.
    boolean first = !connection.writer().isBlocked();
    connection.writer().add(send);
    if (first) {
      if (polled && waits(connection, send)) {
        hold(connection);
      } else {
        move(connection, SelectionKey.OP_WRITE);
      }
    }
  }

  /** Whether a send that was queued just now waits for the next one. */
  private boolean waits(Connection connection, Send send) {
    int queued = connection.writer().queued();
    Gathering gathering = connection.gathering;
    if (send.departure == Departure.IN_A_ROW && send.payload <= TcpLimits.GATHERED_SIZE) {
      boolean waits = gathering.waits(turn);
      long bytes = gathering.bytes(queued == 1, send.payload);
      // Whether another one like this would be too much.
      if (waits
          && (queued >= TcpLimits.GATHERED || bytes + send.payload > TcpLimits.GATHERED_BYTES)) {
        gathering.full();
        return false;
      }
      return waits;
    }
    gathering.end();
    return send.departure == Departure.BEFORE_MORE && queued < TcpLimits.HELD;
  }

  /**
   * Leaves a frame where it is until the next one that does not wait takes it along, or somebody
   * makes progress: who sleeps must, as nobody may know that the last one never comes.
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
        connection.gathering.ended(connection.writer().queued());
        move(connection, SelectionKey.OP_WRITE);
      }
    }
  }

  /** Whether frames wait for others that may never come. */
  public boolean isHolding() {
    for (int i = 0; i < held.size(); i++) {
      if (!held.get(i).isIdle()) {
        return true;
      }
    }
    return false;
  }

  /** Writes what was queued for a connection just now, unless the kernel has no room. */
  public void write(Connection connection) {
    if (!connection.writer().isBlocked()) {
      move(connection, SelectionKey.OP_WRITE);
    }
  }

  /** Reads and writes frames. */
  public void move(Connection connection, int ready) {
    long before = connection.writer().written();
    if ((ready & SelectionKey.OP_READ) != 0 || connection.hasBuffered()) {
      tryRead(connection);
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
      read(connection, null);
      writeFrames(connection);
    }
  }

  private void writeFrames(Connection connection) {
    if (connection.isOpen() && !connection.isIdle()) {
      connection.moderation.end();
      connection.reader().pollEnded();
      try {
        connection.writeFrames();
      } catch (IOException | RuntimeException failed) {
        // What the peer sent before it left is still there.
        drain(connection);
        connection.lost(failed);
      } catch (Error failed) {
        connection.lost(failed);
        throw failed;
      }
    }
  }

  /**
   * Reads on from a connection that was paused.
   *
   * @param to where the payload of the frame goes that it was paused for; null to ask for that
   *     again
   */
  public void resume(Connection connection, @Nullable Arrival to) {
    read(connection, to);
    move(connection, SelectionKey.OP_READ);
  }

  /** Goes through what was read from a paused connection. */
  private void read(Connection connection, @Nullable Arrival to) {
    try {
      connection.reader().resume(to);
    } catch (IOException | RuntimeException rubbish) {
      connection.lost(rubbish);
    } catch (Error failed) {
      connection.lost(failed);
      throw failed;
    }
  }

  public SharedBounds bounds() {
    return bounds;
  }

  /** Reads what a connection holds that is about to be closed, within a bound. */
  void drain(Connection connection) {
    connection.closing.pollNews();
    for (int i = 0; i < TcpLimits.DRAINING_READS && tryRead(connection) > 0; i++) {
      // There may be more.
    }
    if (connection.closing.pollNews()) {
      writeFrames(connection);
    }
  }

  /**
   * Reads on behind the frame that a connection is paused for.
   *
   * @return how many bytes came, which are none if the connection is lost
   */
  int readAhead(Connection connection) {
    try {
      return connection.readAhead();
    } catch (IOException | RuntimeException failed) {
      connection.lost(failed);
    } catch (Error failed) {
      connection.lost(failed);
      throw failed;
    }
    return 0;
  }

  /** Reads frames; says how many bytes came, which are none if the connection is lost. */
  private long tryRead(Connection connection) {
    if (connection.isOpen()) {
      try {
        return read(connection);
      } catch (IOException | RuntimeException failed) {
        connection.lost(failed);
      } catch (Error failed) {
        // As a rule there is no memory. Where its next frame begins is not known any more.
        connection.lost(failed);
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
    if (count > 0 && connection.closing.isSilent()) {
      connection.closing.heard();
    }
    if (polled) {
      if (count > 0) {
        came += count;
        hot.hit(connection);
        connection.moderation.came(count, connection.reader().pollEnded());
        connection.gathering.end();
      } else {
        hot.miss(connection);
        connection.moderation.inVain();
      }
    }
    return count;
  }

  /** Lets connections that are ready do what they can. They share a turn. */
  public void act() {
    bounds.divideTurn(readiness.countReady());
    try {
      readiness.act();
    } finally {
      bounds.divideTurn(1);
    }
  }

  /** Looks for connections that have data or room, without waiting. */
  public void poll() {
    turn++;
    if (!held.isEmpty()) {
      writeHeld();
    }
    if (!hot.isEmpty()) {
      came = 0;
      for (int i = 0; i < hot.places(); i++) {
        Connection connection = hot.at(i);
        if (connection != null
            && connection.isOpen()
            && !connection.isReady()
            && !connection.moderation.putsOff()) {
          move(connection, SelectionKey.OP_READ);
        }
      }
      long now = clock.getAsLong();
      // A thread that slept in a selector knows just now what is ready.
      boolean known = came > 0 || readiness.hasReady();
      long pause = known ? TcpLimits.ASK_AT_LAST : TcpLimits.ASK_PAUSE;
      if (asked && now - askedAt < pause) {
        return;
      }
      asked = true;
      askedAt = now;
    }
    try {
      readiness.poll();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "looking at connections failed: " + failed, failed);
    }
  }

  /** Has connections read at the next turn, whatever came before: somebody is going to sleep. */
  public void readAtOnce() {
    for (int i = 0; i < hot.places(); i++) {
      Connection connection = hot.at(i);
      if (connection != null) {
        connection.moderation.end();
      }
    }
  }

  /**
   * Whether connections were read and nothing came, nor is more of a frame about to come: that is
   * worth looking for again at once.
   */
  public boolean readInVain() {
    if (came > 0 || hot.isEmpty()) {
      return false;
    }
    for (int i = 0; i < hot.places(); i++) {
      Connection connection = hot.at(i);
      if (connection != null && connection.reader().isInPayload()) {
        return false;
      }
    }
    return true;
  }

  /** Notes what a connection waits for now. */
  public void settle(Connection connection) {
    if (connection.state() != Connection.State.CLOSED
        && readiness.watch(connection, connection.interest())) {
      interestChanged = true;
    }
  }

  /** A connection is about to be closed, or has been: it is not looked at any more. */
  public void forget(Connection connection) {
    readiness.forget(connection);
    hot.remove(connection);
    if (connection.held) {
      connection.held = false;
      held.remove(connection);
    }
    channelsClosed = true;
  }

  /** There is no room for a message; said once in a while at most, as peers may be hostile. */
  public void full(Supplier<FullRoom> why) {
    long now = clock.getAsLong();
    if (!wasFull || now - fullAt >= TcpLimits.FULL_ROOM_PAUSE) {
      wasFull = true;
      fullAt = now;
      full = why.get();
    }
  }

  /** Why there was no room for a message since this was last asked; null if there was. */
  public @Nullable FullRoom pollFull() {
    FullRoom taken = full;
    full = null;
    return taken;
  }

  /** Something is to be done sooner than those who sleep know. */
  public void dueSooner() {
    interestChanged = true;
  }

  /** Whether those who sleep must look again since this was last asked. */
  public boolean pollInterestChanged() {
    boolean changed = interestChanged;
    interestChanged = false;
    return changed;
  }

  /** Whether channels were closed, of which selectors must let go, since this was last asked. */
  public boolean pollChannelsClosed() {
    boolean closed = channelsClosed;
    channelsClosed = false;
    return closed;
  }
}
