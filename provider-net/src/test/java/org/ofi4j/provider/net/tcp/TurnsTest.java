// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.provider.net.tcp.ScriptedAccess.header;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.MemoryRegion;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/** However much there is to copy, and however fast: others get their turn. */
class TurnsTest {
  private static final long SIZE = 40 << 20;

  /** What is read into, or written from, besides one large piece. */
  private static final long STAGING = 1 << 16;

  private static final long MOST_OF_A_TURN = TcpLimits.TURN_SIZE + TcpLimits.CALL_SIZE + STAGING;

  /** Takes and gives all that it can, and counts. */
  private static final class Endless implements ReadableByteChannel, GatheringByteChannel {
    private final byte[] first;
    private final ByteBuffer content = ByteBuffer.allocate(TcpLimits.CALL_SIZE);
    private int given;
    private long inAll;
    private long most;
    private final List<Integer> counts = new ArrayList<>();

    Endless(byte... first) {
      this.first = first;
      while (content.hasRemaining()) {
        content.put((byte) 7);
      }
    }

    private int count(int bytes) {
      inAll += bytes;
      most = Math.max(most, bytes);
      counts.add(bytes);
      return bytes;
    }

    @Override
    public int read(ByteBuffer into) {
      int bytes = into.remaining();
      while (given < first.length && into.hasRemaining()) {
        into.put(first[given++]);
      }
      while (into.hasRemaining()) {
        into.put(content.clear().limit(Math.min(content.capacity(), into.remaining())));
      }
      return count(bytes);
    }

    @Override
    public int write(ByteBuffer from) {
      int bytes = from.remaining();
      from.position(from.limit());
      return count(bytes);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      int bytes = 0;
      for (int i = offset; i < offset + length; i++) {
        bytes += from[i].remaining();
        from[i].position(from[i].limit());
      }
      return count(bytes);
    }

    @Override
    public long write(ByteBuffer[] from) {
      return write(from, 0, from.length);
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  @DisplayName("A large answer leaves in pieces of one size, of which a turn has a few")
  void writing() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Arena arena = Arena.ofShared();
        MemoryRegion region = rig.domain().register(arena.allocate(SIZE, 8), Access.REMOTE_READ)) {
      Connection connection = rig.connection(ScriptedSocket.connected());
      ScriptedSocket asking = ScriptedSocket.connected();
      asking.say(header(ScriptedAccess.READ_REQUEST, 0, 0, region, 0, SIZE));
      connection.reader().read(asking);
      Endless peer = new Endless();
      int turns = 1;
      for (boolean more = true; more; turns++) {
        long before = peer.inAll;
        more = connection.writer().write(peer);
        assertThat(peer.inAll - before).isBetween(1L, MOST_OF_A_TURN);
      }
      assertThat(peer.inAll).isEqualTo(FrameHeader.BASE + SIZE);
      assertThat(turns).isGreaterThan(5);
      int last = peer.counts.removeLast();
      assertThat(peer.counts).isNotEmpty().containsOnly(TcpLimits.WRITE_SIZE);
      assertThat(last).isBetween(TcpLimits.WRITE_SIZE / 2, TcpLimits.LAST_WRITE);
    }
  }

  @Test
  @DisplayName("A large write is taken in pieces, of which a turn has a few")
  void reading() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Arena arena = Arena.ofShared();
        MemoryRegion region = rig.domain().register(arena.allocate(SIZE, 8), Access.REMOTE_WRITE)) {
      Connection connection = rig.connection(ScriptedSocket.connected());
      Endless peer =
          new Endless(
              header(ScriptedAccess.WRITE, ScriptedAccess.DELIVERED, SIZE, region, 0, SIZE));
      int turns = 0;
      MemorySegment memory = region.memory();
      while (memory.get(ValueLayout.JAVA_BYTE, SIZE - TcpLimits.DIRECT_READ) == 0) {
        assertThat(connection.reader().read(peer)).isBetween(1L, MOST_OF_A_TURN);
        turns++;
      }
      assertThat(peer.most).isLessThanOrEqualTo(TcpLimits.CALL_SIZE);
      assertThat(turns).isGreaterThan(5);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, SIZE / 2)).isEqualTo((byte) 7);
    }
  }

  @Test
  void connectionsThatAreReadyTogetherShareTurn() throws Exception {
    assertThat(mostInSharedTurn(1, SIZE))
        .isBetween(1L, (long) TcpLimits.WRITE_SIZE + TcpLimits.LAST_WRITE);
  }

  @Test
  void connectionWithManyReadRequestsWritesOneShareOfTurn() throws Exception {
    // Short enough that half of those that may wait are out before the share is used up: then more
    // requests are taken.
    clock = () -> 0;
    // The answers to the last requests may go beyond the share.
    assertThat(mostInSharedTurn(2 * TcpLimits.ANSWERS, 1_500))
        .isBetween(1L, (long) TcpLimits.WRITE_SIZE + 2 * Staging.SIZE);
  }

  @Test
  void connectionsThatAreReadyTogetherShareTheTimeOfTurn() throws Exception {
    AtomicLong now = new AtomicLong();
    // Sixteen calls of the clock take as long as the turn that 32 connections share.
    clock = () -> now.addAndGet(TcpLimits.TURN_TIME / 16);
    // Each writes two batches, takes more requests, and writes two batches again.
    assertThat(mostInSharedTurn(2 * TcpLimits.ANSWERS, 1_000)).isBetween(1L, 5 * STAGING);
  }

  private LongSupplier clock = System::nanoTime;

  /**
   * Has many peers ask for memory, each with several requests, and lets all their connections act
   * once.
   *
   * @return the most bytes that any of them has got
   */
  private long mostInSharedTurn(int requests, long length) throws Exception {
    int count = 32;
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Arena arena = Arena.ofShared();
        MemoryRegion region = rig.domain().register(arena.allocate(SIZE, 8), Access.REMOTE_READ)) {
      rig.clock = clock;
      byte[] request = header(ScriptedAccess.READ_REQUEST, 0, 0, region, 0, length);
      List<ScriptedSocket> askers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ScriptedSocket asking = ScriptedSocket.connected();
        for (int j = 0; j < requests; j++) {
          asking.say(request);
        }
        askers.add(asking);
        Connection connection = rig.connection(asking);
        rig.mover().settle(connection);
        connection.ready(SelectionKey.OP_READ);
      }
      rig.mover().act();
      assertThat(askers).allSatisfy(asking -> assertThat(asking.written.size()).isPositive());
      return askers.stream().mapToLong(asking -> asking.written.size()).max().orElseThrow();
    }
  }

  @Test
  void turnEndsWhenItsTimeIsOver() throws Exception {
    AtomicLong now = new AtomicLong();
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Arena arena = Arena.ofShared();
        MemoryRegion region =
            rig.domain()
                .register(arena.allocate(SIZE, 8), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
      rig.clock = () -> now.addAndGet(TcpLimits.TURN_TIME);
      Connection connection = rig.connection(ScriptedSocket.connected());
      ScriptedSocket asking = ScriptedSocket.connected();
      asking.say(header(ScriptedAccess.READ_REQUEST, 0, 0, region, 0, SIZE));
      connection.reader().read(asking);
      Endless taking = new Endless();
      assertThat(connection.writer().write(taking)).isTrue();
      assertThat(taking.counts).hasSize(2);
      Endless giving = new Endless(header(ScriptedAccess.WRITE, 0, SIZE, region, 0, SIZE));
      connection.reader().read(giving);
      assertThat(giving.counts).hasSize(2);
    }
  }
}
