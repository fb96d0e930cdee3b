// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.net.tcp.ScriptedAccess.COMMITTED;
import static org.ofi4j.provider.net.tcp.ScriptedAccess.DELIVERED;
import static org.ofi4j.provider.net.tcp.ScriptedAccess.write;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Access;
import org.ofi4j.Errno;
import org.ofi4j.MemoryRegion;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.tcp.ScriptedAccess;
import org.ofi4j.provider.net.tcp.ScriptedSocket;
import org.ofi4j.provider.net.wire.FrameHeader;

/** Writes to the memory of a file while the disk takes its time: as long as the test says. */
class CommitsTest {
  private static final int SIZE = 100_000;

  /** What was given to the disk, which does nothing by itself. */
  private final Deque<Runnable> disk = new ArrayDeque<>();

  private final ScriptedAccess rig = new ScriptedAccess(disk::add);
  private final Arena arena = Arena.ofShared();
  private Path path;
  private MemorySegment file;
  private MemoryRegion region;
  private MemoryRegion other;

  @BeforeEach
  void map(@TempDir Path directory) throws IOException {
    path = directory.resolve("memory");
    try (FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file = channel.map(MapMode.READ_WRITE, 0, SIZE, arena);
    }
    region = rig.domain().register(file, Access.REMOTE_WRITE);
    other = rig.domain().register(Rig.buffer(SIZE), Access.REMOTE_WRITE);
  }

  @AfterEach
  void close() {
    while (!disk.isEmpty()) {
      disk.poll().run();
    }
    region.close();
    other.close();
    rig.close();
  }

  private final ScriptedSocket socket = ScriptedSocket.connected();
  private final Connection connection = rig.connection(socket);

  /** How many acknowledgements were written. */
  private static int acknowledgements(ScriptedSocket to) {
    assertThat(to.written.size() % FrameHeader.BASE).isZero();
    return to.written.size() / FrameHeader.BASE;
  }

  private byte read(MemoryRegion from, long at) {
    return from.memory().get(ValueLayout.JAVA_BYTE, at);
  }

  @Test
  @DisplayName(
      "What comes behind a write that is brought to a file waits; other connections do not")
  void othersDoNotWait() throws Exception {
    rig.come(
        connection,
        socket,
        write(COMMITTED, region, 10, (byte) 1, (byte) 2),
        write(DELIVERED, other, 0, (byte) 3));
    assertThat(disk).hasSize(1);
    assertThat(read(region, 11)).isEqualTo((byte) 2);
    assertThat(acknowledgements(socket)).as("nothing is promised yet").isZero();
    assertThat(read(other, 0)).isZero();

    ScriptedSocket another = ScriptedSocket.connected();
    rig.come(rig.connection(another), another, write(DELIVERED, other, 5, (byte) 4));
    assertThat(acknowledgements(another)).isEqualTo(1);
    assertThat(read(other, 5)).isEqualTo((byte) 4);
    rig.come(connection, socket);
    rig.remote.goOn();
    assertThat(acknowledgements(socket)).as("until the disk has done it").isZero();

    disk.remove().run();
    assertThat(rig.news).hasValue(1);
    assertThat(acknowledgements(socket)).isZero();
    rig.remote.goOn();
    assertThat(acknowledgements(socket)).isEqualTo(2);
    assertThat(read(other, 0)).isEqualTo((byte) 3);
    assertThat(Files.readAllBytes(path)[11]).isEqualTo((byte) 2);
  }

  @Test
  @DisplayName("Large writes, which are read straight to their place, are brought to the file too")
  void large() {
    byte[] content = new byte[SIZE];
    Arrays.fill(content, (byte) 7);
    rig.come(
        connection,
        socket,
        write(COMMITTED, region, 0, content),
        write(COMMITTED, region, 0, (byte) 9));
    rig.come(connection, socket);
    for (int i = 0; i < 2; i++) {
      assertThat(acknowledgements(socket)).isEqualTo(i);
      assertThat(disk).as("one after the other").hasSize(1);
      assertThat(read(region, 0)).isEqualTo(i == 0 ? (byte) 7 : 9);
      disk.remove().run();
      rig.remote.goOn();
    }
    assertThat(acknowledgements(socket)).isEqualTo(2);
    assertThat(read(region, SIZE - 1)).isEqualTo((byte) 7);
  }

  @Test
  @DisplayName("A region is not closed before the disk has done with its memory")
  void closing() throws Exception {
    rig.come(connection, socket, write(COMMITTED, region, 0, (byte) 1));
    Thread closing = Thread.ofPlatform().start(region::close);
    while (closing.getState() != Thread.State.WAITING) {
      assertThat(closing.isAlive()).as("waits for the disk").isTrue();
      Thread.sleep(1);
    }
    disk.remove().run();
    closing.join();
    assertThat(region.isOpen()).isFalse();
    arena.close();
    rig.remote.goOn();
    assertThat(acknowledgements(socket)).isEqualTo(1);
  }

  @Test
  @DisplayName("A write that the disk does not take costs its connection")
  void failing() {
    rig.come(
        connection,
        socket,
        write(COMMITTED, region, 0, (byte) 1),
        write(DELIVERED, other, 0, (byte) 3));
    arena.close();
    disk.remove().run();
    rig.remote.goOn();
    assertThat(rig.lost()).isInstanceOf(IllegalStateException.class);
    assertThat(acknowledgements(socket)).isZero();
    assertThat(read(other, 0)).isZero();
  }

  @Test
  @DisplayName("A connection that is closed meanwhile is not gone on with")
  void closedMeanwhile() {
    rig.come(
        connection,
        socket,
        write(COMMITTED, region, 0, (byte) 1),
        write(DELIVERED, other, 0, (byte) 3));
    connection.close(new Operations<>(), Errno.ECONNRESET, "the test closes it");
    disk.remove().run();
    rig.remote.goOn();
    assertThat(read(other, 0)).isZero();
    assertThat(acknowledgements(socket)).isZero();
    assertThat(rig.lost()).isNull();
  }

  @Test
  @DisplayName("Memory that one thread alone can use is brought to its file by that thread")
  void confined() throws Exception {
    try (Arena own = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, 10, own);
      try (MemoryRegion mine = rig.domain().register(memory, Access.REMOTE_WRITE)) {
        rig.come(connection, socket, write(COMMITTED, mine, 0, (byte) 1));
        assertThat(disk).isEmpty();
        assertThat(acknowledgements(socket)).isEqualTo(1);
      }
    }
  }

  @Test
  @DisplayName("Without memory for a thread nobody waits for it")
  void noThread() {
    Commits none =
        new Commits(
            task -> {
              throw new OutOfMemoryError("unable to create a thread");
            },
            () -> {});
    assertThatThrownBy(() -> none.begin(rig.remote.new RemoteWrite()))
        .isInstanceOf(OutOfMemoryError.class);
    none.await();
  }
}
