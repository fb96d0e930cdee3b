// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.CompletionLevel;
import org.ofi4j.InsertFlag;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Rig;

/** The frames that close an idle connection, to the byte, from each side. */
class IdleClosingTest {
  private static final int HEARTBEAT = 9;
  private static final int CLOSE_REQUEST = 10;
  private static final int CLOSING = 11;
  private static final int LIFE = 7;

  /** Delivery words, heartbeats, one in a minute, and this. */
  private static final byte[] BLOCK =
      HexFormat.of().parseHex("4f46493401000016000000190000000000010000ea60");

  private static RawPeer peer() throws Exception {
    RawPeer peer = new RawPeer();
    peer.extension = BLOCK;
    return peer;
  }

  private static Rig rig(int idle) {
    return Rig.idle(Progress.AUTO, idle, null);
  }

  private static byte[] request(long received) {
    return ByteBuffer.allocate(24)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {3, CLOSE_REQUEST, 0, 0, 0, 0, 24, 0})
        .putLong(24)
        .putLong(received)
        .array();
  }

  private static byte[] signal(int operation) {
    return ByteBuffer.allocate(16)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {3, (byte) operation, 0, 0, 0, 0, 16, 0})
        .putLong(16)
        .array();
  }

  private static byte[] acknowledgement() {
    byte[] frame = signal(0);
    frame[4] = 2;
    return frame;
  }

  private static void say(Socket socket, byte[] bytes) throws Exception {
    socket.getOutputStream().write(bytes);
  }

  /** The next frame is this one; its sequence does not count. */
  private static void assertSays(Socket socket, byte[] frame) throws Exception {
    byte[] read = RawPeer.read(socket, frame.length);
    read[7] = 0;
    assertThat(read).isEqualTo(frame);
  }

  private static void assertSays(Socket socket, String message) throws Exception {
    assertThat(new String(RawPeer.read(socket, 16 + message.length()), 16, message.length()))
        .isEqualTo(message);
  }

  /** Nothing more comes, and that in good order. */
  private static void assertEnds(Socket socket) throws Exception {
    assertThat(socket.getInputStream().read()).isEqualTo(-1);
  }

  /** A message to a peer whose connection was closed opens another one. */
  private static void assertReaches(Rig rig, RawPeer peer, long handle) throws Exception {
    rig.endpoint().send(Rig.message("anew"), handle, "anew");
    assertReached(rig, peer);
  }

  private static void assertReached(Rig rig, RawPeer peer) throws Exception {
    try (Socket socket = peer.accept(LIFE)) {
      assertSays(socket, "anew");
      assertThat(rig.next(rig).context()).isEqualTo("anew");
      assertThat(rig.events().read()).isNull();
    }
  }

  @Test
  @DisplayName("Who is asked and has nothing under way says so, and nothing more")
  void answered() throws Exception {
    try (Rig rig = rig(0);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      MemorySegment buffer = Rig.buffer(8);
      rig.endpoint().receive(buffer, "received");
      say(socket, peer.frame("last"));
      say(socket, request(0));
      assertSays(socket, signal(CLOSING));
      assertThat(rig.next(rig).context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 4)).isEqualTo("last");
      rig.endpoint().send(Rig.message("anew"), handle, "anew");
      say(socket, signal(HEARTBEAT));
      socket.shutdownOutput();
      assertEnds(socket);
      assertReached(rig, peer);
    }
  }

  @Test
  @DisplayName("A message that crosses the request voids it, without a word")
  @SuppressWarnings("try") // the peer closes first
  void crossedByMessage() throws Exception {
    try (Rig rig = rig(0);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      rig.endpoint().send(Rig.message("crossing"), handle, "sent");
      assertThat(rig.next(rig).context()).isEqualTo("sent");
      say(socket, request(0));
      TcpTable.awaitRead(rig.port());
      rig.endpoint().send(Rig.message("and on"), handle, "sent");
      assertSays(socket, "crossing");
      assertSays(socket, "and on");
      assertThat(rig.next(rig).context()).isEqualTo("sent");
      say(socket, request(46));
      assertSays(socket, signal(CLOSING));
      socket.close();
      assertReaches(rig, peer, handle);
    }
  }

  @Test
  @DisplayName("Who still waits for an acknowledgement does not close, and says so")
  void owed() throws Exception {
    try (Rig rig = rig(0);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("wanted"))
                  .destination(handle)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      assertSays(socket, "wanted");
      say(socket, request(22));
      assertSays(socket, signal(HEARTBEAT));
      say(socket, acknowledgement());
      assertThat(rig.next(rig).context()).isEqualTo("sent");
      say(socket, request(38));
      assertSays(socket, signal(CLOSING));
    }
  }

  @Test
  @DisplayName("As long as a message waits for its receive the connection stays")
  void early() throws Exception {
    try (Rig rig = rig(0);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      say(socket, peer.frame("early"));
      say(socket, request(0));
      assertSays(socket, signal(HEARTBEAT));
      rig.endpoint().receive(Rig.buffer(8), "received");
      assertThat(rig.next(rig).context()).isEqualTo("received");
      say(socket, request(16));
      assertSays(socket, signal(CLOSING));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("A connection stays to a peer to whom none can be opened")
  void firewalled(boolean saysSo) throws Exception {
    try (Rig rig = rig(0);
        RawPeer peer = peer()) {
      peer.features = saysSo ? 1 : 0;
      MemorySegment packed = MemorySegment.ofArray(peer.name().toBytes());
      long flags = saysSo ? 0 : InsertFlag.FIREWALL_ADDRESS.mask();
      rig.vector.insert(packed, 1, null, null, flags, null);
      try (Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
        say(socket, request(0));
        assertSays(socket, signal(HEARTBEAT));
        rig.endpoint().send(Rig.message("still"), rig.vector.find(peer.name()), "sent");
        assertSays(socket, "still");
      }
    }
  }

  @Test
  @DisplayName("What is posted while the request is out waits, and goes on when that is void")
  void voided() throws Exception {
    try (Rig rig = rig(1);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      assertSays(socket, request(0));
      rig.endpoint().send(Rig.message("waits"), handle, "sent");
      MemorySegment buffer = Rig.buffer(8);
      rig.endpoint().receive(buffer, "received");
      say(socket, peer.frame("void"));
      assertSays(socket, "waits");
      // Either may be the first; then it asks anew.
      assertThat(rig.next(rig).context()).isIn("sent", "received");
      assertThat(rig.next(rig).context()).isIn("sent", "received");
      assertSays(socket, request(20));
      say(socket, signal(HEARTBEAT));
      assertSays(socket, request(36));
      say(socket, signal(CLOSING));
      assertEnds(socket);
      assertReaches(rig, peer, handle);
    }
  }

  @Test
  @DisplayName(
      "What is posted while the answer comes, piece by piece, goes over the next connection")
  void answeredInPieces() throws Exception {
    try (Rig rig = rig(1);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      assertSays(socket, request(0));
      socket.getOutputStream().write(signal(CLOSING), 0, 9);
      TcpTable.awaitRead(rig.port());
      rig.endpoint().send(Rig.message("anew"), handle, "anew");
      socket.getOutputStream().write(signal(CLOSING), 9, 7);
      assertEnds(socket);
      assertReached(rig, peer);
    }
  }

  @Test
  @DisplayName("Where both ask at once both answer")
  void bothAsk() throws Exception {
    try (Rig rig = rig(1);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      rig.endpoint().receive(Rig.buffer(8), "received");
      assertSays(socket, request(0));
      rig.endpoint().send(Rig.message("anew"), handle, "anew");
      say(socket, request(0));
      // As from who makes no progress, so that the answer waits.
      say(socket, signal(HEARTBEAT));
      assertSays(socket, signal(CLOSING));
      say(socket, signal(CLOSING));
      assertEnds(socket);
      assertReached(rig, peer);
    }
  }

  @Test
  @DisplayName("A request of who has read ours voids ours, and is answered")
  void asksBack() throws Exception {
    try (Rig rig = rig(1);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      assertSays(socket, request(0));
      say(socket, request(24));
      assertSays(socket, signal(CLOSING));
    }
  }

  @Test
  @DisplayName("Who has asked and makes no progress still says that it lives")
  void beatsWhileItWaits() throws Exception {
    try (Rig rig = Rig.idle(Progress.MANUAL, 1, null);
        RawPeer peer = peer()) {
      peer.extension = HexFormat.of().parseHex("4f4649340100001600000019000000000001000000fa");
      try (Socket socket = RawPeer.connect(rig.endpoint().address())) {
        say(socket, peer.request(LIFE));
        while (socket.getInputStream().available() < 62 + 24) {
          rig.move(Duration.ZERO);
        }
        assertThat(RawPeer.read(socket, 62)[1]).as("a response with a block").isEqualTo((byte) 1);
        assertSays(socket, request(0));
        // From here on nobody reads the queue.
        assertSays(socket, signal(HEARTBEAT));
        assertSays(socket, signal(HEARTBEAT));
        say(socket, signal(CLOSING));
        socket.setSoTimeout(10);
        do {
          rig.move(Duration.ZERO);
        } while (!RawPeer.isClosed(socket));
        assertThat(rig.events().read()).isNull();
      }
    }
  }

  @Test
  @DisplayName("A peer that connects anew while it was asked has answered, and is not lost")
  void answerIsLate() throws Exception {
    try (Rig rig = rig(1);
        RawPeer peer = peer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      long handle = rig.vector.insert(peer.name());
      assertSays(socket, request(0));
      rig.endpoint().send(Rig.message("anew"), handle, "anew");
      try (Socket early = RawPeer.connect(rig.endpoint().address())) {
        say(early, peer.request(LIFE));
        assertThat(RawPeer.answer(early)).as("a refusal").isEqualTo(6);
      }
      try (Socket again = peer.join(rig.endpoint().address(), LIFE)) {
        assertSays(again, "anew");
        assertEnds(socket);
        assertThat(rig.next(rig).context()).isEqualTo("anew");
        assertThat(rig.events().read()).isNull();
      }
    }
  }

  @Test
  @DisplayName("Nobody asks a C program, nor who owes an acknowledgement")
  void notAsked() throws Exception {
    try (Rig rig = rig(1);
        RawPeer program = new RawPeer();
        RawPeer owing = peer();
        RawPeer bystander = peer();
        Socket ofProgram = program.join(rig.endpoint().address(), LIFE)) {
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("wanted"))
                  .destination(rig.vector.insert(owing.name()))
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      try (Socket ofOwing = owing.accept(LIFE)) {
        assertSays(ofOwing, "wanted");
        try (Socket ofBystander = bystander.join(rig.endpoint().address(), LIFE)) {
          // Which was open for a shorter time than the others; and asked again.
          assertSays(ofBystander, request(0));
          say(ofBystander, signal(HEARTBEAT));
          assertSays(ofBystander, request(16));
        }
        assertThat(ofProgram.getInputStream().available()).isZero();
        assertThat(ofOwing.getInputStream().available()).isZero();
        say(ofOwing, acknowledgement());
        assertThat(rig.next(rig).context()).isEqualTo("sent");
        assertSays(ofOwing, request(16));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("An answer that nobody asked for costs the connection, as a request not agreed on")
  void stray(boolean agreed) throws Exception {
    try (Rig rig = rig(0);
        RawPeer peer = agreed ? peer() : new RawPeer();
        Socket socket = peer.join(rig.endpoint().address(), LIFE)) {
      say(socket, agreed ? signal(CLOSING) : request(0));
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
  }
}
