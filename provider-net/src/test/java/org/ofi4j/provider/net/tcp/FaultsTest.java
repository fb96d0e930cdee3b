// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.FreePort;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Peers that are not there, say nothing, say rubbish, break off, or come back. */
class FaultsTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  private static Rig rig() {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
  }

  private static Rig impatient(Progress progress) {
    return Rig.reliable(Rig.tcp("127.0.0.1", progress), SHORT);
  }

  private static Errno errno(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Failure.class);
    return ((Completion.Failure) completion).errno();
  }

  /** One send fails, and so does the next: nothing hangs, and nothing is kept of the first. */
  private static void assertUnreachable(Rig rig, FabricAddress peer, Errno expected)
      throws Exception {
    long handle = rig.vector.insert(peer);
    for (int i = 0; i < 2; i++) {
      long start = System.nanoTime();
      rig.endpoint().send(Rig.message("anybody there?"), handle, "sent");
      rig.endpoint().inject(Rig.message("anybody?"), handle);
      Completion sent = rig.next();
      assertThat(errno(sent)).as("%s", sent).isEqualTo(expected);
      assertThat(sent.context()).isEqualTo("sent");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
      assertThat(errno(rig.next())).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  void nobodyListens(Progress progress) throws Exception {
    try (Rig rig = impatient(progress)) {
      RawPeer gone = new RawPeer();
      FabricAddress name = gone.name();
      gone.close();
      assertUnreachable(rig, name, Errno.ECONNREFUSED);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  void aPeerNeverAnswers(Progress progress) throws Exception {
    try (Rig rig = impatient(progress);
        RawPeer silent = new RawPeer()) {
      assertUnreachable(rig, silent.name(), Errno.ETIMEDOUT);
    }
  }

  @Test
  void aPeerRefusesAlways() throws Exception {
    try (Rig rig = impatient(Progress.AUTO);
        RawPeer unfriendly = new RawPeer()) {
      Thread.ofVirtual().start(() -> answerAll(unfriendly, 6));
      assertUnreachable(rig, unfriendly.name(), Errno.ECONNREFUSED);
    }
  }

  @Test
  void aPeerAnswersWithARequest() throws Exception {
    try (Rig rig = impatient(Progress.AUTO);
        RawPeer confused = new RawPeer()) {
      Thread.ofVirtual().start(() -> answerAll(confused, 0));
      assertUnreachable(rig, confused.name(), Errno.EIO);
    }
  }

  private static void answerAll(RawPeer peer, int type) {
    try {
      while (true) {
        try (Socket socket = peer.acceptSilently()) {
          RawPeer.read(socket, 40);
          socket.getOutputStream().write(peer.message(type, peer.listener.getLocalPort(), 7));
        }
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  /** Each send ends, for each connection that is accepted and dropped takes one at least. */
  @Test
  void aPeerAcceptsAndDrops() throws Exception {
    try (Rig rig = impatient(Progress.AUTO);
        RawPeer fickle = new RawPeer()) {
      Thread.ofVirtual().start(() -> acceptAndReset(fickle));
      long handle = rig.vector.insert(fickle.name());
      for (int i = 0; i < 50; i++) {
        rig.endpoint()
            .send(
                new SendRequest()
                    .memory(Rig.message("to be dropped"))
                    .destination(handle)
                    .context(i)
                    .completes(CompletionLevel.DELIVERED));
      }
      for (int i = 0; i < 50; i++) {
        // On a crowded machine the time to connect may be up before the peer has accepted.
        assertThat(errno(rig.next())).isIn(Errno.ECONNRESET, Errno.ETIMEDOUT);
      }
    }
  }

  private static void acceptAndReset(RawPeer peer) {
    try {
      while (true) {
        RawPeer.reset(peer.accept(7));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  /** What a peer in the other byte order sends and is sent is big-endian. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBigEndianPeer(boolean itConnects) throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.order = ByteOrder.BIG_ENDIAN;
      long handle = rig.vector.insert(peer.name());
      MemorySegment buffer = Rig.buffer(16);
      rig.endpoint().receive(buffer, "received");
      Socket socket;
      if (itConnects) {
        socket = peer.join(rig.name(), 7);
        rig.endpoint().inject(Rig.message("hello"), handle);
      } else {
        rig.endpoint().inject(Rig.message("hello"), handle);
        socket = peer.accept(7);
      }
      try (socket) {
        byte[] got = RawPeer.read(socket, 21);
        assertThat(ByteBuffer.wrap(got).getLong(8)).isEqualTo(21);
        socket.getOutputStream().write(peer.frame("big end"));
        Completion.Success received = Rig.success(rig.next());
        assertThat(received.source()).isEqualTo(handle);
        assertThat(Rig.text(buffer, received.length())).isEqualTo("big end");
      }
    }
  }

  /** What begins as no connection message does costs its own connection. */
  @Test
  void rubbishInsteadOfARequest() throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("rubbish requests: -Dofi4j.seed=" + seed);
    Random random = new Random(seed);
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      List<byte[]> rubbish = new ArrayList<>();
      byte[] good = peer.request(7);
      rubbish.add(changed(good, 0, 4)); // another version
      rubbish.add(changed(good, 1, 1)); // an answer to nothing
      rubbish.add(changed(good, 1, 6));
      rubbish.add(changed(good, 1, 9));
      rubbish.add(changed(good, 2, 0x7F)); // says that it is long
      rubbish.add(changed(good, 3, 7)); // says that it is too short
      rubbish.add(peer.message(0, 0, 7)); // a peer that nobody can reach
      rubbish.add("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes());
      for (int i = 0; i < 50; i++) {
        byte[] any = new byte[40 + random.nextInt(1_000)];
        random.nextBytes(any);
        any[0] = any[0] == 3 ? 2 : any[0];
        rubbish.add(any);
      }
      for (byte[] each : rubbish) {
        try (Socket socket = RawPeer.connect(rig.name())) {
          socket.getOutputStream().write(each);
          assertThat(RawPeer.isClosed(socket)).as("closed after %s", each).isTrue();
        }
      }
      assertWorks(rig);
    }
  }

  private static byte[] changed(byte[] good, int at, int value) {
    byte[] bad = good.clone();
    bad[at] = (byte) value;
    return bad;
  }

  private static void assertWorks(Rig rig) throws Exception {
    try (Rig other = rig()) {
      long handle = other.insert(rig);
      MemorySegment buffer = Rig.buffer(16);
      rig.endpoint().receiveTagged(buffer, TagPattern.exactly(5), "works");
      other
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("still there"))
                  .destination(handle)
                  .tag(5)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      assertThat(other.next(rig)).isInstanceOf(Completion.Success.class);
      assertThat(rig.next().context()).isEqualTo("works");
      assertThat(Rig.text(buffer, 11)).isEqualTo("still there");
    }
  }

  /** Frames that are none, from a peer that introduced itself well. */
  @Test
  void rubbishInsteadOfFrames() throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("rubbish frames: -Dofi4j.seed=" + seed);
    Random random = new Random(seed);
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      rig.vector.insert(peer.name());
      List<byte[]> rubbish = new ArrayList<>();
      byte[] good = peer.frame("payload");
      rubbish.add(changed(good, 1, 8)); // no such operation
      rubbish.add(changed(good, 1, 2)); // a read of nothing
      rubbish.add(changed(good, 4, 2)); // acknowledges what was never sent
      rubbish.add(changed(good, 6, 121)); // a header longer than any
      rubbish.add(changed(good, 6, 8)); // and one shorter
      rubbish.add(changed(good, 8, 3)); // shorter than its header
      rubbish.add(changed(good, 15, 0x80)); // of a negative length
      for (byte[] each : rubbish) {
        try (Socket socket = peer.join(rig.name(), random.nextInt() | 1)) {
          socket.getOutputStream().write(each);
          assertThat(RawPeer.isClosed(socket)).as("closed after %s", each).isTrue();
        }
      }
      // Whatever comes of any bytes at all, others are served.
      List<Socket> open = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        Socket socket = peer.join(rig.name(), random.nextInt() | 1);
        byte[] any = new byte[16 + random.nextInt(2_000)];
        random.nextBytes(any);
        try {
          socket.getOutputStream().write(any);
        } catch (IOException closedMeanwhile) {
          // After the first bytes of it.
        }
        open.add(socket);
      }
      for (Socket socket : open) {
        socket.close();
      }
    }
    try (Rig rig = rig();
        RawPeer peer = new RawPeer();
        Socket socket = peer.join(rig.name(), 7)) {
      // A frame that goes on for ever, for which nobody has room.
      byte[] endless = peer.frame("and so on");
      ByteBuffer.wrap(endless).order(ByteOrder.LITTLE_ENDIAN).putLong(8, 1L << 60);
      socket.getOutputStream().write(endless);
      assertWorks(rig);
    }
  }

  /** More connections that say nothing than are waited for: others get through. */
  @Test
  void silentConnections() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (Rig rig = rig()) {
      for (int i = 0; i < TcpLimits.MAX_GREETINGS + 50; i++) {
        Socket socket = RawPeer.connect(rig.name());
        silent.add(socket);
        if (i % 2 == 0) {
          socket.getOutputStream().write(3);
        }
      }
      assertWorks(rig);
      // The oldest made room for others.
      assertThat(RawPeer.isClosed(silent.getFirst())).isTrue();
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** A request may come byte by byte. */
  @Test
  void aSlowRequest() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer();
        Socket socket = RawPeer.connect(rig.name())) {
      for (byte each : peer.request(7)) {
        socket.getOutputStream().write(each);
      }
      assertThat(RawPeer.answer(socket)).isEqualTo(1);
    }
  }

  /** The receive of a message that broke off takes the next one, even one that came before. */
  @Test
  void aMessageBreaksOff() throws Exception {
    try (Rig rig = rig();
        RawPeer first = new RawPeer();
        RawPeer second = new RawPeer()) {
      rig.vector.insert(first.name());
      long ofSecond = rig.vector.insert(second.name());
      MemorySegment buffer = Rig.buffer(32);
      rig.endpoint().receive(buffer, "received");
      try (Socket whole = second.join(rig.name(), 7)) {
        try (Socket half = first.join(rig.name(), 7)) {
          half.getOutputStream().write(first.frame("is never finished"), 0, 20);
          assertThat(answered(rig, half)).isTrue();
          whole.getOutputStream().write(second.frame("is", 4));
          // It is acknowledged once it is kept.
          assertThat(RawPeer.read(whole, 16)[4]).isEqualTo((byte) 2);
        }
        Completion.Success received = Rig.success(rig.next());
        assertThat(received.context()).isEqualTo("received");
        assertThat(received.source()).isEqualTo(ofSecond);
        assertThat(Rig.text(buffer, received.length())).isEqualTo("is");
      }
      assertThat(rig.next(Duration.ofMillis(20))).isNull();
    }
  }

  /** Waits until the endpoint has read what a peer sent before: it answers what comes then. */
  private static boolean answered(Rig rig, Socket socket) throws Exception {
    try (RawPeer other = new RawPeer();
        Socket later = other.join(rig.name(), 7)) {
      return socket.isConnected() && later.isConnected();
    }
  }

  /** Under another number a peer has begun a new life: what it sent in the old one is not lost. */
  @Test
  @Tag("AV-180")
  void aPeerRestarts() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      for (int life = 1; life <= 20; life++) {
        Socket old = peer.join(rig.name(), 2 * life);
        for (int i = 0; i < 10; i++) {
          old.getOutputStream().write(peer.frame("old " + i));
        }
        try (Socket young = peer.join(rig.name(), 2 * life + 1)) {
          young.getOutputStream().write(peer.frame("new"));
          MemorySegment buffer = Rig.buffer(16);
          for (int i = 0; i < 11; i++) {
            rig.endpoint().receive(buffer, i);
            Completion.Success received = Rig.success(rig.next());
            assertThat(received.source()).isEqualTo(handle);
            assertThat(Rig.text(buffer, received.length())).isEqualTo(i < 10 ? "old " + i : "new");
          }
          assertThat(RawPeer.isClosed(old)).isTrue();
          rig.endpoint().inject(Rig.message("answer"), handle);
          assertThat(new String(RawPeer.read(young, 22), 16, 6)).isEqualTo("answer");
        }
      }
    }
  }

  /** Under the same number a first request may have crossed another one; a second one has not. */
  @Test
  @Tag("AV-180")
  void aPeerRestartsUnderItsNumber() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer();
        Socket lost = peer.join(rig.name(), 7)) {
      long handle = rig.vector.insert(peer.name());
      try (Socket refused = RawPeer.connect(rig.name())) {
        refused.getOutputStream().write(peer.request(7));
        assertThat(RawPeer.answer(refused)).isEqualTo(6);
      }
      try (Socket accepted = peer.join(rig.name(), 7)) {
        assertThat(RawPeer.isClosed(lost)).isTrue();
        rig.endpoint().inject(Rig.message("hello"), handle);
        assertThat(new String(RawPeer.read(accepted, 21), 16, 5)).isEqualTo("hello");
      }
    }
  }

  /** If it closed the connection before, the first request is accepted already. */
  @Test
  void aPeerConnectsAgain() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      for (int i = 0; i < 50; i++) {
        Socket socket = peer.join(rig.name(), 7);
        socket.getOutputStream().write(peer.frame("round " + i));
        if (i % 2 == 0) {
          socket.close();
        } else {
          socket.shutdownOutput();
        }
        MemorySegment buffer = Rig.buffer(16);
        rig.endpoint().receive(buffer, i);
        Completion.Success received = Rig.success(rig.next());
        assertThat(received.source()).isEqualTo(handle);
        assertThat(Rig.text(buffer, received.length())).isEqualTo("round " + i);
        socket.close();
      }
    }
  }

  /** What a peer sent before it left is delivered, though an answer to it cannot be written. */
  @Test
  void lastWords() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        RawPeer peer = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      rig.endpoint().inject(Rig.message("hello"), handle);
      rig.move(Duration.ZERO);
      Socket socket = peer.acceptSilently();
      RawPeer.read(socket, 40);
      socket.getOutputStream().write(peer.message(1, peer.listener.getLocalPort(), 7));
      byte[] hello = null;
      while (hello == null) {
        rig.move(Duration.ofMillis(1));
        if (socket.getInputStream().available() >= 21) {
          hello = RawPeer.read(socket, 21);
        }
      }
      for (int i = 0; i < 5; i++) {
        socket.getOutputStream().write(peer.frame("word " + i));
      }
      socket.close();
      // The first is answered by a reset, those after it cannot be written at all.
      for (int i = 0; i < 5; i++) {
        rig.endpoint().inject(Rig.message("too late"), handle);
      }
      MemorySegment buffer = Rig.buffer(16);
      int words = 0;
      while (words < 5) {
        rig.endpoint().receive(buffer, "word");
        Completion next = rig.next();
        if ("word".equals(next.context())) {
          assertThat(Rig.text(buffer, Rig.success(next).length())).isEqualTo("word " + words++);
        }
      }
    }
  }

  @Test
  @DisplayName("A stranger that names the endpoint's own address is refused, and gets no message")
  void aStrangerWithOurAddress() throws Exception {
    try (Rig rig = rig();
        RawPeer stranger = new RawPeer();
        Socket socket = RawPeer.connect(rig.name())) {
      int port = ((InetSocketAddress) socket.getRemoteSocketAddress()).getPort();
      socket.getOutputStream().write(stranger.message(0, port, 7));
      assertThat(RawPeer.answer(socket)).isEqualTo(6);
      rig.endpoint().receive(Rig.buffer(8), "own");
      rig.endpoint().inject(Rig.message("own"), rig.vector.insert(rig.name()));
      assertThat(rig.next().context()).isEqualTo("own");
    }
  }

  @Test
  @Tag("AV-222")
  void aPeerBehindAFirewallIsNeverDialled() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.listener.setSoTimeout(1);
      long handle = firewalled(rig, peer.name());
      assertFirewalled(rig, handle);
      rig.endpoint().warmUp(handle);
      try (Socket socket = peer.join(rig.name(), 7)) {
        rig.endpoint()
            .send(
                new SendRequest()
                    .memory(Rig.message("hello"))
                    .destination(handle)
                    .context("sent")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(new String(RawPeer.read(socket, 21), 16, 5)).isEqualTo("hello");
      }
      assertThat(errno(rig.next())).isEqualTo(Errno.ECONNRESET);
      assertFirewalled(rig, handle);
      assertThatThrownBy(peer.listener::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  private static long firewalled(Rig rig, FabricAddress peer) {
    MemorySegment packed = MemorySegment.ofArray(peer.toBytes());
    rig.vector.insert(packed, 1, null, null, InsertFlag.FIREWALL_ADDRESS.mask(), null);
    return rig.vector.find(peer);
  }

  private static void assertFirewalled(Rig rig, long handle) {
    assertThatThrownBy(() -> rig.endpoint().send(Rig.message("x"), handle, null))
        .isInstanceOfSatisfying(
            FabricException.class,
            failed -> assertThat(failed.errno()).isEqualTo(Errno.EFIREWALLADDR));
  }

  /** What waits behind a full connection to such a peer fails when that is lost. */
  @Test
  @Tag("AV-222")
  void aLostConnectionThroughAFirewallIsNotOpenedAnew() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.listener.setSoTimeout(1);
      peer.features = 1; // says itself that it is behind one
      long handle = rig.vector.insert(peer.name());
      Socket socket = peer.join(rig.name(), 7);
      rig.endpoint().send(Rig.buffer(64 << 20), handle, "first");
      for (int i = 0; i < 10; i++) {
        rig.endpoint().send(Rig.message("behind"), handle, "behind");
      }
      socket.close();
      Completion first = rig.next();
      assertThat(first.context()).isEqualTo("first");
      assertThat(errno(first)).isEqualTo(Errno.ECONNRESET);
      for (int i = 0; i < 10; i++) {
        assertThat(errno(rig.next())).isEqualTo(Errno.EFIREWALLADDR);
      }
      assertThatThrownBy(peer.listener::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  @Tag("AV-222")
  @DisplayName("What a peer says of a firewall is not for its next life, nor believed of strangers")
  void firewallOfOneLife() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      peer.features = 1;
      peer.join(rig.name(), 7).close();
      awaitLost(rig, 1);
      rig.endpoint().send(Rig.message("again"), handle, "again");
      peer.features = 0;
      try (Socket socket = peer.accept(8)) {
        assertThat(new String(RawPeer.read(socket, 21), 16, 5)).isEqualTo("again");
        // One that is refused says something that is not true of the peer.
        peer.features = 1;
        try (Socket stranger = RawPeer.connect(rig.name())) {
          stranger.getOutputStream().write(peer.request(8));
          assertThat(RawPeer.answer(stranger)).isEqualTo(6);
        }
      }
      awaitLost(rig, 2);
      rig.endpoint().send(Rig.message("third"), handle, "third");
      peer.features = 0;
      try (Socket socket = peer.accept(9)) {
        assertThat(new String(RawPeer.read(socket, 21), 16, 5)).isEqualTo("third");
      }
    }
  }

  /**
   * Waits until connections are lost, as sends may go the way of one whose end is not noticed. The
   * number of open ones does not tell: a peer has its answer before its connection counts.
   */
  private static void awaitLost(Rig rig, int connections) throws InterruptedException {
    while (rig.endpoint().statistics().connections().lost() < connections) {
      rig.move(Duration.ofMillis(1));
    }
  }

  @Test
  @Tag("AV-222")
  @DisplayName("Sends wait for a new connection though a firewalled address has taken their handle")
  void anotherHasTheHandle() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer();
        RawPeer other = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      rig.endpoint().send(Rig.buffer(64 << 20), handle, "first");
      Socket socket = peer.accept(7);
      RawPeer.read(socket, 16);
      rig.endpoint().send(Rig.message("behind"), handle, "behind");
      rig.vector.remove(handle);
      assertThat(firewalled(rig, other.name())).isEqualTo(handle);
      RawPeer.reset(socket);
      assertThat(errno(rig.next())).isEqualTo(Errno.ECONNRESET);
      try (Socket next = peer.accept(8)) {
        assertThat(new String(RawPeer.read(next, 22), 16, 6)).isEqualTo("behind");
      }
      assertThat(rig.next().context()).isEqualTo("behind");
    }
  }

  /** An endpoint closes whatever its connections are at, and leaves nothing open. */
  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  void closeInEveryState(Progress progress) throws Exception {
    try (RawPeer silent = new RawPeer();
        RawPeer accepting = new RawPeer()) {
      Socket greeting;
      Socket half;
      Socket open;
      Socket joined;
      FabricAddress name;
      String port = String.valueOf(FreePort.find());
      try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", port, progress))) {
        name = rig.name();
        greeting = RawPeer.connect(name);
        half = RawPeer.connect(name);
        half.getOutputStream().write(silent.request(7), 0, 35);
        long toSilent = rig.vector.insert(silent.name());
        long toAccepting = rig.vector.insert(accepting.name());
        rig.endpoint().send(Rig.message("waits"), toSilent, "waits");
        rig.endpoint().send(Rig.message("waits"), toAccepting, "waits");
        rig.endpoint().receive(Rig.buffer(8), "posted");
        open = accepting.acceptSilently();
        RawPeer other = new RawPeer();
        joined = RawPeer.connect(name);
        joined.getOutputStream().write(other.request(7));
        joined.getOutputStream().write(other.frame("is never finished"), 0, 20);
        rig.move(Duration.ofMillis(50));
        other.close();
      }
      for (Socket each : List.of(greeting, half, open, joined)) {
        assertThat(RawPeer.isClosed(each)).isTrue();
        each.close();
      }
      // The port is free at once.
      try (Rig again = Rig.reliable(Rig.tcp("127.0.0.1", port, Progress.AUTO))) {
        assertThat(again.name()).isEqualTo(name);
      }
    }
  }
}
