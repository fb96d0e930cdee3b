// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.SharedDirectory;
import org.ofi4j.provider.net.Rig;

/**
 * Shared memory from the other side: a peer that is written from the description of the protocol
 * alone, and one that breaks it.
 */
class SharedMemoryWireTest {
  private static final int LIFE = 7;
  private static final int OFFER = 12;
  private static final int REFUSAL = 13;
  private static final int CAPACITY = 4096;
  private static final int RING = 256 + CAPACITY;
  private static final long NUMBER = 0x0123_4567_89AB_CDEFL;

  /** The offset of the host in the request of an endpoint with heartbeats. */
  private static final int HOST_IN_REQUEST = 62;

  /** Delivery words and shared memory; the host follows. */
  private static final String BLOCK = "4f464934 01 00 001c 00000021 00000000 0001 0000";

  private final Path file =
      SharedDirectory.path().resolve(HexFormat.of().toHexDigits(NUMBER) + ".connection");
  private Rig rig;
  private RawPeer peer;
  private Socket socket;
  private long handle;
  private MappedByteBuffer memory;

  /** Has the endpoint connect to the peer, which answers that it is on the same host. */
  @BeforeEach
  void connect() throws Exception {
    rig =
        Rig.reliable(
            Rig.tcp("127.0.0.1", Progress.AUTO),
            ConnectionOptions.defaults().withSharedMemory(CAPACITY));
    peer = new RawPeer();
    handle = rig.vector.insert(peer.name());
    rig.endpoint().send(Rig.message("hello"), handle, "hello");
    socket = peer.acceptSilently();
    byte[] request = RawPeer.read(socket, HOST_IN_REQUEST + 8);
    peer.extension =
        ByteBuffer.allocate(28)
            .put(HexFormat.of().parseHex(BLOCK.replace(" ", "")))
            .put(request, HOST_IN_REQUEST, 8)
            .array();
    socket.getOutputStream().write(peer.message(1, peer.listener.getLocalPort(), LIFE));
    assertThat(heard(21)).endsWith("hello".getBytes());
    assertThat(rig.nextOf("hello")).isInstanceOf(Completion.Success.class);
  }

  @AfterEach
  void close() throws IOException {
    rig.close();
    socket.close();
    peer.close();
    Files.deleteIfExists(file);
  }

  private byte[] heard(int length) throws IOException {
    return RawPeer.read(socket, length);
  }

  private void say(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  private static byte[] offer(long number) {
    return ByteBuffer.allocate(24)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {3, OFFER, 0, 0, 0, 0, 24, 0})
        .putLong(24)
        .putLong(number)
        .array();
  }

  private static byte[] refusal() {
    return ByteBuffer.allocate(16)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {3, REFUSAL, 0, 0, 0, 0, 16, 0})
        .putLong(16)
        .array();
  }

  /** Makes the memory as the page says, and waits until the endpoint has opened it. */
  private FileChannel share() throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    ByteBuffer content = ByteBuffer.allocate(128 + 2 * RING).order(ByteOrder.nativeOrder());
    content.putLong(0, 0x6F66_6934_6A6D_656DL).putLong(8, NUMBER).putInt(16, 1);
    content.putInt(20, CAPACITY);
    channel.write(content);
    memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
    memory.order(ByteOrder.nativeOrder());
    say(offer(NUMBER));
    await().until(() -> memory.getInt(24) == 1);
    assertThat(file).doesNotExist();
    return channel;
  }

  /** The offsets of the ring from the peer to the endpoint, and of the one back. */
  private static final int OUT = 128;

  private static final int IN = 128 + RING;

  /** Reads bytes from the memory as they come. */
  private byte[] inMemory(int length) {
    long read = memory.getLong(IN + 128);
    await().until(() -> memory.getLong(IN) >= read + length);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = memory.get(IN + 256 + (int) ((read + i) % CAPACITY));
    }
    memory.putLong(IN + 128, read + length);
    return bytes;
  }

  private void sayInMemory(byte[] bytes) throws IOException {
    long written = memory.getLong(OUT);
    for (int i = 0; i < bytes.length; i++) {
      memory.put(OUT + 256 + (int) ((written + i) % CAPACITY), bytes[i]);
    }
    memory.putLong(OUT, written + bytes.length);
    say(new byte[] {0});
  }

  @Test
  @DisplayName("A peer that knows the description exchanges messages through memory")
  void exchange() throws Exception {
    share().close();
    memory.putInt(IN + 136, 1);
    rig.endpoint().send(Rig.message("in memory"), handle, "sent");
    assertThat(rig.nextOf("sent")).isInstanceOf(Completion.Success.class);
    assertThat(inMemory(25)).endsWith("in memory".getBytes());
    assertThat(memory.getLong(IN + 8)).as("bytes before the ring").isEqualTo(1 + 21);
    assertThat(heard(1)).as("the bell").containsExactly(0);
    assertThat(memory.getInt(IN + 136)).isZero();
    MemorySegment buffer = Rig.buffer(100);
    rig.endpoint().receive(buffer, "received");
    memory.putLong(OUT + 8, 1 + 24);
    sayInMemory(peer.frame("back"));
    Completion received = rig.nextOf("received");
    assertThat(Rig.text(buffer, Rig.length(received))).isEqualTo("back");
  }

  @Test
  @DisplayName("Memory that cannot be opened is refused, and the socket goes on")
  void refused() throws Exception {
    say(offer(NUMBER + 1));
    byte[] answer = heard(16);
    answer[7] = 0;
    assertThat(answer).isEqualTo(refusal());
    rig.endpoint().send(Rig.message("on"), handle, "sent");
    assertThat(heard(18)).endsWith("on".getBytes());
    assertThat(rig.endpoint().statistics().connections().shared()).isZero();
  }

  /** How a peer breaks the protocol once memory is shared. */
  private enum Fault {
    WRITTEN_LESS,
    WRITTEN_MUCH,
    READ_LESS,
    READ_MUCH,
    BEGINS_EARLY,
    SECOND_OFFER,
    REFUSAL,
    CUT
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @DisplayName("A peer that breaks the protocol loses its connection, and the endpoint goes on")
  void faults(Fault fault) throws Exception {
    try (FileChannel channel = share()) {
      rig.endpoint().send(Rig.message("in memory"), handle, "sent");
      assertThat(rig.nextOf("sent")).isInstanceOf(Completion.Success.class);
      inMemory(25);
      boolean begins = fault == Fault.BEGINS_EARLY;
      if (fault != Fault.SECOND_OFFER && fault != Fault.REFUSAL) {
        memory.putLong(OUT + 8, begins ? 1 + 3 : 1 + 24);
      }
      switch (fault) {
        case WRITTEN_LESS -> memory.putLong(OUT, -1);
        case WRITTEN_MUCH -> memory.putLong(OUT, CAPACITY + 1);
        case READ_LESS -> memory.putLong(IN + 128, -1);
        case READ_MUCH -> memory.putLong(IN + 128, 1000);
        case BEGINS_EARLY -> memory.putLong(OUT, 1);
        case SECOND_OFFER -> say(offer(NUMBER));
        case REFUSAL -> say(refusal());
        case CUT -> channel.truncate(0);
      }
      say(new byte[] {0});
      if (fault == Fault.READ_LESS || fault == Fault.READ_MUCH) {
        // The writer looks when there is no space for what it is to write.
        rig.endpoint().send(Rig.buffer(2 * CAPACITY), handle, "lost");
      }
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
    rig.endpoint().send(Rig.message("another"), handle, "another");
    try (Socket next = peer.acceptSilently()) {
      assertThat(RawPeer.read(next, HOST_IN_REQUEST + 8)).startsWith(3, 0);
    }
  }
}
