// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that move from a socket into memory while bytes go both ways. */
class SharedMemoryChannelTest {
  private static final int CAPACITY = 1 << 12;

  @TempDir Path directory;

  /** An end: its socket, and its memory once it has some. */
  private static final class End {
    final SocketChannel socket;
    @Nullable SharedMemoryChannel memory;
    long read;
    long written;

    End(SocketChannel socket) {
      this.socket = socket;
    }

    int write(ByteBuffer from) throws IOException {
      int count = memory == null ? socket.write(from) : memory.write(from);
      written += count;
      return count;
    }

    int read(ByteBuffer into) throws IOException {
      int count = memory == null ? socket.read(into) : memory.read(into);
      read += Math.max(count, 0);
      return count;
    }
  }

  private End one;
  private End two;
  private Selector selector;

  @BeforeEach
  void connect() throws IOException {
    selector = Selector.open();
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      one = new End(SocketChannel.open(server.getLocalAddress()));
      two = new End(server.accept());
    }
    one.socket.configureBlocking(false);
    two.socket.configureBlocking(false);
  }

  @AfterEach
  void close() throws IOException {
    for (End end : new End[] {one, two}) {
      if (end.memory != null) {
        end.memory.close();
      }
      end.socket.close();
    }
    selector.close();
  }

  private void offer() throws IOException {
    MemorySharing sharing = new MemorySharing(directory, 1, CAPACITY);
    one.memory = SharedMemoryChannel.offer(one.socket, one.socket, sharing, one.read, one.written);
  }

  private void join() throws IOException {
    MemorySharing sharing = new MemorySharing(directory, 1, CAPACITY);
    two.memory =
        SharedMemoryChannel.join(
            two.socket, two.socket, sharing, one.memory.name(), two.read, two.written);
  }

  private void move() throws IOException {
    offer();
    join();
    say(two, 1);
    hear(one, 1);
    say(one, 2);
    hear(two, 2);
  }

  private static void say(End end, int... bytes) throws IOException {
    ByteBuffer from = ByteBuffer.allocate(bytes.length);
    for (int each : bytes) {
      from.put((byte) each);
    }
    assertThat(end.write(from.flip())).isEqualTo(bytes.length);
  }

  /** Reads what comes, looking at the socket each time as if a selector had said so. */
  private static void hear(End end, int... bytes) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytes.length);
    while (into.hasRemaining()) {
      if (end.memory != null) {
        end.memory.socketReady();
      }
      assertThat(end.read(into)).isNotNegative();
    }
    for (int i = 0; i < bytes.length; i++) {
      assertThat(into.get(i)).isEqualTo((byte) bytes[i]);
    }
  }

  private void awaitBell(End end) throws IOException {
    SelectionKey key = end.socket.register(selector, SelectionKey.OP_READ);
    assertThat(selector.select()).isOne();
    selector.selectedKeys().clear();
    key.interestOps(0);
  }

  @RepeatedTest(20)
  @DisplayName("Each stream arrives whole and in order, whenever its two ends move")
  void streams() throws IOException {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    long offerAt = random.nextInt(2000);
    long joinAt = offerAt + random.nextInt(200);
    End[] ends = {one, two};
    for (int step = 0; step < 6000; step++) {
      if (step == offerAt) {
        offer();
      }
      if (step == joinAt) {
        join();
      }
      End from = ends[random.nextInt(2)];
      End to = from == one ? two : one;
      if (random.nextBoolean()) {
        ByteBuffer bytes = ByteBuffer.allocate(random.nextInt(300));
        for (int i = 0; i < bytes.capacity(); i++) {
          bytes.put(i, (byte) ((from.written + i) * 31));
        }
        from.write(bytes);
      } else {
        if (to.memory != null && random.nextBoolean()) {
          to.memory.socketReady();
        }
        long before = to.read;
        ByteBuffer bytes = ByteBuffer.allocate(random.nextInt(600));
        int count = to.read(bytes);
        assertThat(count).as("seed %d, step %d", seed, step).isEqualTo(bytes.position());
        for (int i = 0; i < count; i++) {
          assertThat(bytes.get(i))
              .as("seed %d, step %d", seed, step)
              .isEqualTo((byte) ((before + i) * 31));
        }
      }
    }
    for (End end : ends) {
      End other = end == one ? two : one;
      ByteBuffer rest = ByteBuffer.allocate(1 << 20);
      while (end.read < other.written) {
        end.memory.socketReady();
        end.read(rest.clear());
      }
      assertThat(end.read).as("seed %d", seed).isEqualTo(other.written);
      assertThat(end.memory.readsRing()).as("seed %d", seed).isTrue();
    }
  }

  @Test
  @DisplayName("An end that has not begun to read the ring is woken by the first bytes there")
  void wakesBeforeTheRing() throws IOException {
    offer();
    join();
    say(two, 1);
    awaitBell(one);
    hear(one, 1);
    say(one, 2);
    awaitBell(two);
    hear(two, 2);
  }

  @Test
  @DisplayName("A bell that comes with the last bytes over the socket is none of them")
  void bellBehindBytes() throws IOException {
    offer();
    say(one, 1, 2, 3);
    join();
    say(two, 4);
    say(one, 5, 6);
    hear(two, 1, 2, 3, 5, 6);
    hear(one, 4);
    assertThat(two.read(ByteBuffer.allocate(10))).isZero();
    assertThat(one.read(ByteBuffer.allocate(10))).isZero();
  }

  @Test
  @DisplayName("A reader that sleeps is woken by the first bytes, and by no others")
  void wakesReader() throws IOException {
    move();
    assertThat(two.memory.wantBytes()).isFalse();
    say(one, 7);
    awaitBell(two);
    hear(two, 7);
    say(one, 8);
    assertThat(two.socket.read(ByteBuffer.allocate(10))).isZero();
    assertThat(two.memory.wantBytes()).isTrue();
    hear(two, 8);
  }

  @Test
  @DisplayName("A writer that waits for space is woken by the reader")
  void wakesWriter() throws IOException {
    move();
    assertThat(one.write(ByteBuffer.allocate(2 * CAPACITY))).isEqualTo(CAPACITY);
    assertThat(one.memory.wantSpace()).isFalse();
    two.read(ByteBuffer.allocate(CAPACITY));
    awaitBell(one);
    assertThat(one.write(ByteBuffer.allocate(10))).isEqualTo(10);
  }

  @Test
  @DisplayName("A bell from an end that has written nothing yet is no part of its stream")
  void bellBeforeBytes() throws IOException {
    offer();
    join();
    assertThat(two.write(ByteBuffer.allocate(2 * CAPACITY))).isEqualTo(CAPACITY);
    assertThat(two.memory.wantSpace()).isFalse();
    hear(one, new int[CAPACITY]);
    awaitBell(two);
    assertThat(two.read(ByteBuffer.allocate(10))).isZero();
    say(one, 5);
    hear(two, 5);
  }

  @Test
  @DisplayName("A write of which a part cannot be read writes nothing")
  void unreadable() throws IOException {
    move();
    ByteBuffer closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(10).asByteBuffer();
    }
    ByteBuffer[] both = {ByteBuffer.wrap(new byte[] {1, 2}), closed};
    assertThatThrownBy(() -> one.memory.write(both)).isInstanceOf(IllegalStateException.class);
    assertThat(two.read(ByteBuffer.allocate(10))).isZero();
    say(one, 3);
    hear(two, 3);
  }

  @Test
  @DisplayName("Bytes in the ring of a process that was killed before it could ring are read")
  void killedBeforeTheBell() throws IOException {
    offer();
    MemorySharing sharing = new MemorySharing(directory, 1, CAPACITY);
    try (ConnectionFile joined = ConnectionFile.join(sharing.directory(), one.memory.name())) {
      Ring out = joined.out();
      out.begin(0);
      out.put(ByteBuffer.wrap(new byte[] {7}));
      out.publish();
      two.socket.setOption(StandardSocketOptions.SO_LINGER, 0);
      two.socket.close();
      hear(one, 7);
      one.memory.socketReady();
      assertThatThrownBy(() -> one.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }
  }

  @Test
  @DisplayName("The end of the stream comes behind all that is in the ring")
  void ends() throws IOException {
    move();
    say(one, 1, 2, 3);
    // With a bell unread the kernel would reset the connection.
    one.memory.socketReady();
    one.socket.close();
    awaitBell(two);
    hear(two, 1, 2, 3);
    two.memory.socketReady();
    assertThat(two.read(ByteBuffer.allocate(10))).isEqualTo(-1);
    assertThat(two.memory.wantBytes()).isTrue();
    assertThatThrownBy(() -> two.write(ByteBuffer.allocate(1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Broken pipe");
  }

  @Test
  @DisplayName("What is in the ring is read even after the socket was reset")
  void reset() throws IOException {
    move();
    say(one, 1, 2, 3);
    one.socket.setOption(StandardSocketOptions.SO_LINGER, 0);
    one.socket.close();
    awaitBell(two);
    hear(two, 1, 2, 3);
    two.memory.socketReady();
    assertThatThrownBy(() -> two.read(ByteBuffer.allocate(10))).isInstanceOf(IOException.class);
  }

  @Test
  @DisplayName("An end that says that less went over the socket than did is found out")
  void hostile() throws IOException {
    say(one, 1, 2, 3, 4);
    hear(two, 1, 2, 3, 4);
    MemorySharing sharing = new MemorySharing(directory, 1, CAPACITY);
    try (ConnectionFile file = ConnectionFile.make(directory, CAPACITY)) {
      two.memory =
          SharedMemoryChannel.join(two.socket, two.socket, sharing, file.name(), two.read, 0);
      file.out().begin(2);
      assertThatThrownBy(() -> two.read(ByteBuffer.allocate(10)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("2 bytes came over the socket, and 4 did");
    }
  }
}
