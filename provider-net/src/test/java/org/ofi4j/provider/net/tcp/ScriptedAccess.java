// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.IdleTarget;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.FrameMover;
import org.ofi4j.provider.net.connection.Readiness;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.rma.AccessedMemory;
import org.ofi4j.provider.net.rma.Commits;
import org.ofi4j.provider.net.rma.RemoteAccess;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;

/** What peers do with registered memory, over connections that are played; without an endpoint. */
public final class ScriptedAccess implements AutoCloseable {
  public static final int READ_REQUEST = 2;
  public static final int WRITE = 4;
  public static final int DELIVERED = 4;
  public static final int COMMITTED = 8;

  private final Rig rig =
      Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA));
  private final Owner owner = new Owner();
  public final RemoteAccess remote;

  /** The time by which turns end. */
  LongSupplier clock = System::nanoTime;

  /** How often something has ended that was to be brought to a file. */
  public final AtomicInteger news = new AtomicInteger();

  /**
   * Nothing is reached yet.
   *
   * @param disk brings to files what is written
   */
  public ScriptedAccess(Executor disk) {
    Commits commits = new Commits(disk, news::incrementAndGet);
    remote =
        new RemoteAccess(
            rig.endpoint().info(),
            new AccessedMemory.Reachable(
                ((KitDomain) rig.domain).regions(), null, (_, _, _) -> false),
            commits::await,
            new ReceiveOutcomes[0],
            new Counters(),
            commits);
  }

  public Domain domain() {
    return rig.domain;
  }

  /** Why a connection was lost, or null. */
  public @Nullable Throwable lost() {
    return owner.lost;
  }

  /** Has the connections of the test. */
  private final class Owner extends Connection.Owner {
    private @Nullable Throwable lost;

    Owner() {
      super(
          new FrameMover(
              new Readiness(new IdleTarget() {}, null),
              new Staging.Pool(),
              false,
              () -> clock.getAsLong()),
          new Security(null, new Staging.Pool()));
    }

    FrameMover mover() {
      return mover;
    }

    @Override
    protected FrameHandler handler(Connection connection) {
      return frames(connection);
    }

    @Override
    protected void proceed(Connection connection, int ready) {
      mover.move(connection, ready);
    }

    @Override
    protected void ended(Connection connection, Throwable failed) {
      lost = failed;
      connection.close(new Operations<>(), Errno.ECONNRESET, "it is lost");
    }

    @Override
    protected void tick(long now) {}

    @Override
    public void close(Trouble trouble) {}
  }

  public Connection connection(SocketChannel over) {
    return new Connection(over, null, Connection.State.OPEN, owner);
  }

  FrameHandler frames(Connection connection) {
    return new FrameArrivals(connection, null, remote, owner.mover());
  }

  FrameMover mover() {
    return owner.mover();
  }

  /** Frames come over a connection, and are taken as far as they can be. */
  public void come(Connection over, ScriptedSocket from, byte[]... frames) {
    for (byte[] each : frames) {
      from.say(each);
    }
    owner.mover().move(over, SelectionKey.OP_READ);
  }

  /** A frame that reaches one place, up to where its payload begins. */
  public static byte[] header(
      int operation, int flags, long payload, MemoryRegion region, long at, long length) {
    return ByteBuffer.allocate(40)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {3, (byte) operation})
        .putShort((short) flags)
        .put(new byte[] {0, 1, 40, 0})
        .putLong(40 + payload)
        .putLong(at)
        .putLong(length)
        .putLong(region.key())
        .array();
  }

  /** A write. */
  public static byte[] write(int flags, MemoryRegion into, long at, byte... content) {
    byte[] header = header(WRITE, flags, content.length, into, at, content.length);
    return ByteBuffer.allocate(header.length + content.length).put(header).put(content).array();
  }

  @Override
  public void close() {
    rig.close();
  }
}
