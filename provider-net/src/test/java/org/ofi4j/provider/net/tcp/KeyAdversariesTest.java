// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.SendRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.transfer.Answer;

/**
 * Who wants to get in without a key, with what was overheard, or further than a key allows: each is
 * refused, counted in the log, and does no harm to a peer who talks meanwhile.
 */
class KeyAdversariesTest {
  private static final byte[] RED = Rig.key(1);
  private static final byte[] BLUE = Rig.key(2);
  private static final int LIFE = 77;
  private static final byte[] NO_NONCE = {};

  private RejectedLines log;
  private RawPeer raw;
  private Rig server;

  // Who talks over one connection all the time.
  private Rig honest;
  private long ofServer;
  private long ofHonest;
  private int said;

  private static Hints hints() {
    return Rig.tcp("127.0.0.1", Progress.AUTO)
        .withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.RMA);
  }

  @BeforeEach
  void begin() throws Exception {
    log = new RejectedLines();
    raw = new RawPeer();
    server = Rig.holding(hints(), RED, BLUE);
    honest = Rig.holding(hints(), RED);
    ofServer = honest.insertUnder(honest.authKeys[0], server.name());
    ofHonest = server.insertUnder(server.authKeys[0], honest.name());
    talk();
  }

  @AfterEach
  void end() throws Exception {
    honest.close();
    server.close();
    raw.close();
    log.close();
  }

  /** What is sent is acknowledged over the same connection as ever. */
  private void talk() throws InterruptedException {
    String text = "message " + ++said;
    MemorySegment buffer = Rig.buffer(64);
    server.endpoint().receive(new ReceiveRequest().memory(buffer).source(ofHonest).context(text));
    honest
        .endpoint()
        .send(
            new SendRequest()
                .memory(Rig.message(text))
                .destination(ofServer)
                .context(text)
                .completes(CompletionLevel.DELIVERED));
    Completion.Success received = Rig.success(server.next(honest));
    assertThat(received.source()).isEqualTo(ofHonest);
    assertThat(Rig.text(buffer, text.length())).isEqualTo(text);
    assertThat(honest.next(server)).isInstanceOf(Completion.Success.class);
  }

  /** One line was written for each adversary; the honest peer talks on, and nothing came. */
  private void counted(int lines, String... reasons) throws InterruptedException {
    List<String> all = log.await(lines);
    assertThat(all).hasSize(lines);
    for (int i = 0; i < reasons.length; i++) {
      assertThat(all.get(i)).contains(reasons[i]).contains("number " + (i + 1));
    }
    server.endpoint().receive(Rig.buffer(64), "stray");
    assertThat(server.next(Duration.ofMillis(50))).isNull();
    assertThat(server.endpoint().cancel("stray")).isTrue();
    assertThat(server.next(honest)).isInstanceOf(Completion.Failure.class);
    talk();
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** A message of which the proof is another. */
  private static byte[] forged(byte[] message) {
    byte[] forged = message.clone();
    forged[forged.length - 1] ^= 1;
    return forged;
  }

  private int port() {
    return raw.listener.getLocalPort();
  }

  private byte[] request(KeyedScript script) {
    return script.message(KeyedScript.REQUEST, 0, port(), LIFE, filled(9));
  }

  private byte[] confirmation(KeyedScript script) {
    return script.message(KeyedScript.CONFIRMATION, 0, port(), LIFE, NO_NONCE);
  }

  private static void say(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  private static byte[] hear(Socket socket, int type) throws IOException {
    byte[] message = KeyedScript.read(socket);
    assertThat(message[1]).isEqualTo((byte) type);
    return message;
  }

  /** The endpoint says that it refuses, and nothing more. */
  private static void refuses(Socket socket) throws IOException {
    hear(socket, KeyedScript.REFUSAL);
    assertThat(RawPeer.isClosed(socket)).isTrue();
  }

  /** A dialogue that began well: the endpoint has proved itself, and waits for a proof. */
  private KeyedScript challenged(Socket socket) throws IOException {
    KeyedScript script = KeyedScript.requester(RED, socket);
    say(socket, request(script));
    assertThat(script.hears(hear(socket, KeyedScript.CHALLENGE))).isTrue();
    return script;
  }

  /** A whole dialogue that ends well. */
  private Socket join(byte[] key) throws IOException {
    return join(key, LIFE);
  }

  private Socket join(byte[] key, int life) throws IOException {
    Socket socket = RawPeer.connect(server.name());
    KeyedScript script = KeyedScript.requester(key, socket);
    say(socket, script.message(KeyedScript.REQUEST, 0, port(), life, filled(9)));
    assertThat(script.hears(hear(socket, KeyedScript.CHALLENGE))).isTrue();
    say(socket, script.message(KeyedScript.CONFIRMATION, 0, port(), life, NO_NONCE));
    assertThat(script.hears(hear(socket, KeyedScript.RESPONSE))).isTrue();
    return socket;
  }

  /** Something is received over a connection of the raw peer. */
  private void heard(Socket socket, String text) throws Exception {
    MemorySegment buffer = Rig.buffer(64);
    server.endpoint().receive(buffer, text);
    say(socket, raw.frame(text));
    Completion received = server.next(honest);
    assertThat(received.context()).isEqualTo(text);
    assertThat(Rig.text(buffer, text.length())).isEqualTo(text);
  }

  @Test
  @DisplayName("A peer that was written from the description alone is let in")
  void goodPeer() throws Exception {
    try (Socket socket = join(RED)) {
      heard(socket, "good");
    }
    counted(0);
  }

  @Test
  void wrongKey() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      say(socket, request(KeyedScript.requester(Rig.key(3), socket)));
      refuses(socket);
    }
    counted(1, "its authorization key is none that this endpoint holds");
  }

  @Test
  @DisplayName("A good dialogue that was overheard is of no use a second time")
  void replayed() throws Exception {
    Socket good = RawPeer.connect(server.name());
    KeyedScript script = KeyedScript.requester(RED, good);
    byte[] request = request(script);
    say(good, request);
    script.hears(hear(good, KeyedScript.CHALLENGE));
    byte[] confirmation = confirmation(script);
    say(good, confirmation);
    script.hears(hear(good, KeyedScript.RESPONSE));
    try (Socket bad = RawPeer.connect(server.name())) {
      say(bad, request);
      hear(bad, KeyedScript.CHALLENGE);
      say(bad, confirmation);
      refuses(bad);
    }
    // Not even the one whose words were said again has lost its connection.
    heard(good, "still here");
    good.close();
    counted(1, "does not prove that it holds the authorization key");
  }

  @Test
  @DisplayName("Who says to be a peer that was started again cannot take its connection away")
  void pretendedRestart() throws Exception {
    Socket good = join(RED);
    try (Socket bad = RawPeer.connect(server.name())) {
      KeyedScript script = KeyedScript.requester(RED, bad);
      // Under the same port, and with another life.
      say(bad, script.message(KeyedScript.REQUEST, 0, port(), LIFE + 2, filled(8)));
      script.hears(hear(bad, KeyedScript.CHALLENGE));
      heard(good, "while it is asked");
      say(bad, forged(script.message(KeyedScript.CONFIRMATION, 0, port(), LIFE + 2, NO_NONCE)));
      hear(bad, KeyedScript.REFUSAL);
    }
    heard(good, "and after that");
    // Whoever has the key may.
    try (Socket again = join(RED, LIFE + 4)) {
      heard(again, "again");
    }
    good.close();
    counted(1, "does not prove");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 33, 39, 41, 45, 60, 75, 83})
  @DisplayName("A request that is cut off is none, whether it is said to be whole or not")
  void truncated(int length) throws Exception {
    byte[] whole;
    try (Socket socket = RawPeer.connect(server.name())) {
      whole = request(KeyedScript.requester(RED, socket));
      say(socket, Arrays.copyOf(whole, length));
      socket.shutdownOutput();
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
    int lines = 0;
    if (length >= 33) {
      lines = 1;
      byte[] short1 = Arrays.copyOf(whole, length);
      ByteBuffer.wrap(short1).putShort(2, (short) (length - 32));
      try (Socket socket = RawPeer.connect(server.name())) {
        say(socket, short1);
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
    }
    counted(lines);
  }

  @Test
  @DisplayName("A key part of another length is none")
  void otherKeyParts() throws Exception {
    for (int length : new int[] {0, 1, 47, 49, 64, 200}) {
      try (Socket socket = RawPeer.connect(server.name())) {
        byte[] whole = request(KeyedScript.requester(RED, socket));
        byte[] other = Arrays.copyOf(whole, 60 + length);
        ByteBuffer.wrap(other)
            .putShort(2, (short) (28 + length))
            .putShort(46, (short) (20 + length));
        say(socket, other);
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
    }
    counted(6, "no key part", "no key part", "no key part");
  }

  @Test
  @DisplayName("Bytes behind the key part are not overlooked")
  void bytesBehind() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      byte[] whole = request(KeyedScript.requester(RED, socket));
      byte[] longer = Arrays.copyOf(whole, whole.length + 4);
      ByteBuffer.wrap(longer).putShort(2, (short) (longer.length - 32));
      say(socket, longer);
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
    counted(1, "no key part");
  }

  @Test
  @DisplayName("A request without its block, as C programs send it, is refused")
  void stripped() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      say(socket, raw.request(LIFE));
      refuses(socket);
    }
    counted(1, "says nothing of an authorization key");
  }

  @Test
  @DisplayName("A confirmation without its block is refused")
  void strippedConfirmation() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      KeyedScript script = KeyedScript.requester(RED, socket);
      say(socket, request(script));
      hear(socket, KeyedScript.CHALLENGE);
      say(socket, raw.message(KeyedScript.CONFIRMATION, port(), LIFE));
      refuses(socket);
    }
    counted(1, "says nothing of an authorization key");
  }

  @Test
  @DisplayName("The right hint and a wrong proof")
  void forgedProof() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      KeyedScript script = challenged(socket);
      say(socket, forged(confirmation(script)));
      refuses(socket);
    }
    counted(1, "does not prove");
  }

  @Test
  @DisplayName("The endpoint's own proof, sent back")
  void reflectedChallenge() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      KeyedScript script = KeyedScript.requester(RED, socket);
      say(socket, request(script));
      byte[] challenge = hear(socket, KeyedScript.CHALLENGE);
      script.hears(challenge);
      byte[] reflected = confirmation(script);
      System.arraycopy(challenge, challenge.length - 32, reflected, reflected.length - 32, 32);
      say(socket, reflected);
      hear(socket, KeyedScript.REFUSAL);
    }
    counted(1, "does not prove");
  }

  private Rig impatient(byte[]... keys) {
    return Rig.holding(hints(), VectorOptions.table(), Duration.ofSeconds(1), keys);
  }

  private static void rejected(Completion ended) {
    assertThat(ended)
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> assertThat(failure.errno()).isEqualTo(Errno.EKEYREJECTED));
  }

  /** Moves one message on, if one comes. */
  private static boolean relay(Socket from, Socket to) {
    try {
      say(to, KeyedScript.read(from));
      return true;
    } catch (IOException gone) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Who passes everything on to one that holds the key does not get in between")
  void passedOn(boolean backToItself) throws Exception {
    try (Rig victim = impatient(RED)) {
      long ofRelay = victim.insertUnder(victim.authKeys[0], raw.name());
      Thread relay =
          Thread.ofVirtual()
              .start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                  try (Socket in = raw.acceptSilently();
                      Socket out = RawPeer.connect(backToItself ? victim.name() : server.name())) {
                    boolean more = relay(in, out) && relay(out, in);
                    while (more) {
                      more = relay(in, out) && relay(out, in);
                    }
                  } catch (IOException ended) {
                    return;
                  }
                }
              });
      victim.endpoint().send(Rig.message("secret"), ofRelay, "sent");
      rejected(victim.next(server));
      relay.interrupt();
      raw.listener.close();
      relay.join();
    }
    assertThat(log.await(1)).isNotEmpty().allMatch(each -> each.contains("does not prove"));
    talk();
  }

  @Test
  @DisplayName("Who does not confirm is closed when its time is up")
  void confirmationMissing() throws Exception {
    try (Socket socket = RawPeer.connect(server.name())) {
      say(socket, request(KeyedScript.requester(RED, socket)));
      hear(socket, KeyedScript.CHALLENGE);
      talk();
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
    counted(1, "does not prove in time");
  }

  @Test
  void confirmationTwice() throws Exception {
    Socket socket = RawPeer.connect(server.name());
    KeyedScript script = challenged(socket);
    byte[] confirmation = confirmation(script);
    say(socket, confirmation);
    hear(socket, KeyedScript.RESPONSE);
    heard(socket, "between");
    say(socket, confirmation);
    assertThat(RawPeer.isClosed(socket)).isTrue();
    counted(1, "no frame");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A frame where a confirmation belongs is not delivered")
  void frameFirst(boolean atOnce) throws Exception {
    String text = "a message that is long enough to be looked at as a connection message";
    try (Socket socket = RawPeer.connect(server.name())) {
      say(socket, request(KeyedScript.requester(RED, socket)));
      if (!atOnce) {
        hear(socket, KeyedScript.CHALLENGE);
      }
      say(socket, raw.frame(text));
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
    counted(1);
  }

  @Test
  @DisplayName("Two confirmations, a request in place of one, and other messages out of turn")
  void outOfTurn() throws Exception {
    int[] types = {KeyedScript.REQUEST, KeyedScript.RESPONSE, KeyedScript.REFUSAL};
    for (int type : types) {
      try (Socket socket = RawPeer.connect(server.name())) {
        KeyedScript script = challenged(socket);
        byte[] other = confirmation(script);
        other[1] = (byte) type;
        say(socket, other);
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
    }
    try (Socket socket = RawPeer.connect(server.name())) {
      byte[] first = request(KeyedScript.requester(RED, socket));
      first[1] = KeyedScript.CONFIRMATION;
      say(socket, first);
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
    counted(4);
  }

  /** What a peer may answer to a request of the endpoint's. */
  private enum Answer {
    /** As C programs answer, and as one does that has stripped what it was asked. */
    PLAIN_RESPONSE,
    FORGED_CHALLENGE,
    CHALLENGE_UNDER_ANOTHER_KEY,
    RESPONSE_WITH_PROOF_OF_CHALLENGE,
    FORGED_RESPONSE,
    CHALLENGE_TWICE
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.EnumSource(Answer.class)
  @DisplayName("Who is asked and does not hold the key gets nothing of what is sent")
  void accepting(Answer answer) throws Exception {
    try (Rig victim = impatient(RED)) {
      long ofRaw = victim.insertUnder(victim.authKeys[0], raw.name());
      victim.endpoint().send(Rig.message("secret"), ofRaw, "sent");
      Thread peer =
          Thread.ofVirtual()
              .start(() -> {
                while (true) {
                  try (Socket socket = raw.acceptSilently()) {
                    answer(socket, answer);
                    byte[] rest = socket.getInputStream().readAllBytes();
                    assertThat(new String(rest, java.nio.charset.StandardCharsets.ISO_8859_1))
                        .doesNotContain("secret");
                  } catch (IOException ended) {
                    if (raw.listener.isClosed()) {
                      return;
                    }
                  }
                }
              });
      Completion ended = victim.next(server);
      assertThat(ended).isInstanceOf(Completion.Failure.class);
      if (answer != Answer.CHALLENGE_TWICE) {
        rejected(ended);
      }
      raw.listener.close();
      peer.join();
    }
    assertThat(log.await(1)).isNotEmpty();
    talk();
  }

  private void answer(Socket socket, Answer answer) throws IOException {
    byte[] key = answer == Answer.CHALLENGE_UNDER_ANOTHER_KEY ? BLUE : RED;
    KeyedScript script = KeyedScript.acceptor(key, socket);
    script.hears(hear(socket, KeyedScript.REQUEST));
    if (answer == Answer.PLAIN_RESPONSE) {
      say(socket, raw.message(KeyedScript.RESPONSE, port(), LIFE));
      return;
    }
    byte[] challenge = script.message(KeyedScript.CHALLENGE, 0x81, port(), LIFE, filled(3));
    if (answer == Answer.RESPONSE_WITH_PROOF_OF_CHALLENGE) {
      challenge[1] = KeyedScript.RESPONSE;
    }
    say(socket, answer == Answer.FORGED_CHALLENGE ? forged(challenge) : challenge);
    if (answer == Answer.CHALLENGE_TWICE) {
      say(socket, challenge);
    }
    if (answer == Answer.FORGED_RESPONSE) {
      assertThat(script.hears(hear(socket, KeyedScript.CONFIRMATION))).isTrue();
      say(socket, forged(script.message(KeyedScript.RESPONSE, 0x81, port(), LIFE, NO_NONCE)));
    }
  }

  /** A read request for one place. */
  private static byte[] read(long address, long length, long key) {
    return ByteBuffer.allocate(40)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {3, 2, 0, 0, 0, 1, 40, 0})
        .putLong(40)
        .putLong(address)
        .putLong(length)
        .putLong(key)
        .array();
  }

  @Test
  @Tag("AV-166")
  @DisplayName("Memory past the bounds of a region, and of a region for another key")
  void regions() throws Exception {
    MemorySegment memory = Rig.buffer(16);
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 0x5EC2E7);
    MemoryRegion region =
        server.domain.register(
            memory,
            RegisterOptions.of(Access.REMOTE_READ).withAuthKey(server.vector, server.authKeys[0]));
    try (Socket good = join(RED)) {
      say(good, read(0, 16, region.key()));
      byte[] response = RawPeer.read(good, 32);
      assertThat(ByteBuffer.wrap(response).order(ByteOrder.LITTLE_ENDIAN).getLong(16))
          .isEqualTo(0x5EC2E7);
      try (Socket beyond = join(BLUE)) {
        say(beyond, read(0, 16, region.key()));
        assertThat(beyond.getInputStream().readAllBytes()).isEmpty();
      }
      // The same address under the other key.
      say(good, read(8, 8, region.key()));
      RawPeer.read(good, 24);
      say(good, read(8, 9, region.key()));
      assertThat(good.getInputStream().readAllBytes()).isEmpty();
    }
    counted(2, "under the authorization key that it has", "bytes, but 9 at 8 were asked for");
    region.close();
  }

  @Test
  @DisplayName("No line says anything of a key but that it is the wrong one")
  void linesKeepKeys() throws Exception {
    byte[] named =
        "QWERTYUIOPASDFGHJKLZXCVBNM123456".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    try (Rig other = Rig.holding(hints(), named);
        Socket socket = RawPeer.connect(other.name())) {
      KeyedScript script = KeyedScript.requester(named, socket);
      say(socket, request(script));
      hear(socket, KeyedScript.CHALLENGE);
      say(socket, forged(confirmation(script)));
      assertThat(RawPeer.isClosed(socket)).isTrue();
      assertThat(log.await(1))
          .hasSize(1)
          .noneMatch(each -> each.contains("QWERTY") || each.contains("51574552"));
    }
  }

  @Test
  @DisplayName("Many who are refused at a time")
  void crowd() throws Exception {
    for (int i = 0; i < 200; i++) {
      try (Socket socket = RawPeer.connect(server.name())) {
        say(socket, request(KeyedScript.requester(Rig.key(3 + i % 100), socket)));
        hear(socket, KeyedScript.REFUSAL);
      }
    }
    counted(200);
  }
}
