// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.Rig;

/** Connections with TLS: who gets in, and what goes over them. */
public class SecureConnectionsTest {
  private static final Duration BRIEF = Duration.ofSeconds(2);

  static Path file(String name) {
    URL found = SecureConnectionsTest.class.getResource("security/" + name);
    return Path.of(URI.create(Objects.requireNonNull(found, name).toString()));
  }

  public static TransportSecurity of(String owner) {
    return TransportSecurity.pem(file(owner + ".pem"), file(owner + ".key"), file("authority.pem"));
  }

  /** The keys of one of them, for contexts with other trust. */
  static KeyManager[] keys(String owner) throws GeneralSecurityException, IOException {
    String lines = Files.readString(file(owner + ".key")).replaceAll("-----[^-]*-----|\\s", "");
    PrivateKey key =
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(lines)));
    Certificate its;
    try (InputStream in = Files.newInputStream(file(owner + ".pem"))) {
      its = CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("own", key, new char[0], new Certificate[] {its});
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    return keys.getKeyManagers();
  }

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Messages of all lengths go both ways, and every byte arrives")
  void bothWays(Hints hints) throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    try (Rig left = Rig.reliable(hints, Rig.PATIENCE, of("one"));
        Rig right = Rig.reliable(hints, Rig.PATIENCE, of("two"))) {
      long toRight = left.insert(right);
      long toLeft = right.insert(left);
      for (int length : List.of(0, 1, 100, 16_384, 16_385, 70_000, 1_000_000, 20_000_000)) {
        MemorySegment atRight = Rig.buffer(Math.max(1, length));
        MemorySegment atLeft = Rig.buffer(Math.max(1, length));
        right.endpoint().receive(atRight, "at right");
        left.endpoint().receive(atLeft, "at left");
        MemorySegment fromLeft = random(random, length);
        MemorySegment fromRight = random(random, length);
        left.endpoint()
            .send(
                new SendRequest()
                    .memory(fromLeft)
                    .destination(toRight)
                    .context("from left")
                    .completes(CompletionLevel.DELIVERED));
        right
            .endpoint()
            .send(
                new SendRequest()
                    .memory(fromRight)
                    .destination(toLeft)
                    .context("from right")
                    .completes(CompletionLevel.DELIVERED));
        for (int i = 0; i < 2; i++) {
          assertThat(left.next(right))
              .as("-Dofi4j.seed=%d", seed)
              .isInstanceOf(Completion.Success.class);
          assertThat(right.next(left))
              .as("-Dofi4j.seed=%d", seed)
              .isInstanceOf(Completion.Success.class);
        }
        assertThat(atRight.asSlice(0, length).mismatch(fromLeft))
            .as("-Dofi4j.seed=%d", seed)
            .isEqualTo(-1);
        assertThat(atLeft.asSlice(0, length).mismatch(fromRight))
            .as("-Dofi4j.seed=%d", seed)
            .isEqualTo(-1);
      }
    }
  }

  private static MemorySegment random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Rig.buffer(Math.max(1, length))
        .asSlice(0, length)
        .copyFrom(MemorySegment.ofArray(bytes));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Many messages in both directions at once, in order, none lost")
  void manyAtOnce(Hints hints) throws Exception {
    int count = 500;
    try (Rig left = Rig.reliable(hints, Rig.PATIENCE, of("one"));
        Rig right = Rig.reliable(hints, Rig.PATIENCE, of("two"))) {
      exchange(left, right, left.insert(right), right.insert(left), count);
    }
  }

  /** Messages are sent as fast as can be, and received one at a time by a reader that sleeps. */
  @ParameterizedTest
  @MethodSource("kinds")
  void messagesThatComeTogetherAreReceivedOneByOne(Hints hints) throws Exception {
    int messages = 2_000;
    try (Rig left = Rig.reliable(hints, Rig.PATIENCE, of("one"));
        Rig right = Rig.reliable(hints, Rig.PATIENCE, of("two"))) {
      long toRight = left.insert(right);
      right.insert(left);
      CompletableFuture<Void> sender =
          CompletableFuture.runAsync(() -> {
            Completed completed = new Completed();
            for (int i = 0; i < messages; i++) {
              MemorySegment message = Rig.message("message " + i);
              while (!left.endpoint().trySend(message, toRight, i)) {
                left.queue.poll(completed, 16);
              }
            }
            while (completed.count < messages) {
              left.queue.poll(completed, 16);
            }
          });
      MemorySegment buffer = Rig.buffer(32);
      for (int i = 0; i < messages; i++) {
        right.endpoint().receive(buffer, i);
        assertThat(right.queue.read(Rig.PATIENCE)).isInstanceOf(Completion.Success.class);
        String expected = "message " + i;
        assertThat(Rig.text(buffer, expected.length())).isEqualTo(expected);
      }
      sender.get();
    }
  }

  private static void exchange(Rig left, Rig right, long toRight, long toLeft, int count)
      throws InterruptedException {
    List<MemorySegment> buffers = new ArrayList<>();
    for (int i = 0; i < 2 * count; i++) {
      MemorySegment buffer = Rig.buffer(64);
      buffers.add(buffer);
      (i < count ? left : right).endpoint().receive(buffer, i % count);
    }
    for (int i = 0; i < count; i++) {
      left.endpoint().inject(Rig.message("to right " + i), toRight);
      right.endpoint().inject(Rig.message("to left " + i), toLeft);
    }
    for (int i = 0; i < count; i++) {
      Completion atLeft = left.next(right);
      Completion atRight = right.next(left);
      assertThat(atLeft.context()).isEqualTo(i);
      assertThat(atRight.context()).isEqualTo(i);
      String first = "to left " + i;
      String second = "to right " + i;
      assertThat(Rig.text(buffers.get(i), first.length())).isEqualTo(first);
      assertThat(Rig.text(buffers.get(count + i), second.length())).isEqualTo(second);
    }
  }

  @Test
  @DisplayName("An endpoint sends to itself")
  void toItself() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL);
    try (Rig rig = Rig.reliable(hints, Rig.PATIENCE, of("one"))) {
      long self = rig.insert(rig);
      MemorySegment buffer = Rig.buffer(16);
      rig.endpoint().receive(buffer, "received");
      rig.endpoint().inject(Rig.message("myself"), self);
      assertThat(rig.next().context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 6)).isEqualTo("myself");
    }
  }

  @Test
  @DisplayName("Nobody gets in with a certificate of another authority, for another host, or none")
  void strangers() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.AUTO);
    try (Rig guarded = Rig.reliable(hints, Rig.PATIENCE, of("one"));
        Rig friend = Rig.reliable(hints, Rig.PATIENCE, of("two"))) {
      MemorySegment buffer = Rig.buffer(16);
      guarded.endpoint().receive(buffer, "received");
      for (TransportSecurity security :
          new TransportSecurity[] {of("stranger"), of("elsewhere"), null}) {
        try (Rig intruder = Rig.reliable(hints, BRIEF, security)) {
          intruder.endpoint().send(Rig.message("let me in"), intruder.insert(guarded), "refused");
          Completion failed = intruder.next();
          assertThat(failed).isInstanceOf(Completion.Failure.class);
          assertThat(failed.context()).isEqualTo("refused");
        }
      }
      friend.endpoint().inject(Rig.message("a friend"), friend.insert(guarded));
      assertThat(guarded.next().context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 8)).isEqualTo("a friend");
    }
  }

  @Test
  @DisplayName("Rubbish, and handshakes that break off, cost their own connection")
  void rubbish() throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    Hints hints = Rig.tcp("127.0.0.1", Progress.AUTO);
    try (Rig guarded = Rig.reliable(hints, Rig.PATIENCE, of("one"));
        Rig friend = Rig.reliable(hints, Rig.PATIENCE, of("two"))) {
      MemorySegment buffer = Rig.buffer(16);
      guarded.endpoint().receive(buffer, "received");
      byte[] hello = clientHello();
      for (int i = 0; i < 200; i++) {
        byte[] said = random.nextBoolean() ? hello.clone() : new byte[random.nextInt(2_000)];
        if (said.length != hello.length) {
          random.nextBytes(said);
        } else {
          said[random.nextInt(said.length)] = (byte) random.nextInt();
        }
        try (Socket socket = RawPeer.connect(guarded.name())) {
          socket.getOutputStream().write(said, 0, random.nextInt(said.length + 1));
        } catch (IOException closedAtOnce) {
          // So much the better.
        }
      }
      friend.endpoint().inject(Rig.message("a friend"), friend.insert(guarded));
      assertThat(guarded.next().context()).as("-Dofi4j.seed=%d", seed).isEqualTo("received");
    }
  }

  /** The first record of a handshake. */
  private static byte[] clientHello() throws SSLException {
    SSLEngine engine = of("one").context().createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), out);
    byte[] hello = new byte[out.flip().remaining()];
    out.get(hello);
    return hello;
  }

  @Test
  @DisplayName("Who connects looks at the certificate too, and says what is wrong with it")
  void whoAnswers() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.AUTO);
    for (String owner : List.of("stranger", "elsewhere")) {
      try (Rig wrong = Rig.reliable(hints, Rig.PATIENCE, of(owner));
          Rig caller = Rig.reliable(hints, BRIEF, of("one"))) {
        caller.endpoint().send(Rig.message("secret"), caller.insert(wrong), "sent");
        assertThat(caller.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> {
                  assertThat(failure.errno()).isEqualTo(Errno.EACCES);
                  assertThat(failure.reason()).contains("TLS");
                });
      }
    }
  }

  @Test
  @DisplayName("TLS against none is refused with EACCES both ways, and the reason says TLS")
  void oneSideInTheClear() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.AUTO);
    try (Rig secured = Rig.reliable(hints, BRIEF, of("one"));
        Rig plain = Rig.reliable(hints, BRIEF);
        RejectedLines log = new RejectedLines()) {
      for (Rig caller : List.of(secured, plain)) {
        Rig called = caller == plain ? secured : plain;
        caller.endpoint().send(Rig.message("hello"), caller.insert(called), "sent");
        assertThat(caller.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> {
                  assertThat(failure.errno()).isEqualTo(Errno.EACCES);
                  assertThat(failure.reason()).contains("TLS");
                });
        assertThat(log.await(1)).allMatch(line -> line.contains("TLS"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("The same with one peer, at once")
  void onePeerInTheClear(boolean clientIs) throws Exception {
    try (MsgSide server = new MsgSide(Progress.AUTO);
        MsgSide client = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = clientIs ? server.listen() : listen(server);
      ConnectedEndpoint caller = clientIs ? secure(client, "two") : client.endpoint();
      caller.connect(passive.address());
      Event.Failure failure = client.event(Event.Failure.class);
      assertThat(failure.errno()).isEqualTo(Errno.EACCES);
      assertThat(failure.reason()).contains("TLS");
    }
  }

  @Test
  @DisplayName("A certificate of another host is good if hosts do not matter")
  void anyHost() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.AUTO);
    try (Rig left = Rig.reliable(hints, Rig.PATIENCE, of("elsewhere").anyHost());
        Rig right = Rig.reliable(hints, Rig.PATIENCE, of("one").anyHost())) {
      exchange(left, right, left.insert(right), right.insert(left), 10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pss", "bound-pss"})
  @DisplayName("Keys of RSASSA-PSS are taken, bound to a hash or not, and those of another refused")
  void probabilisticSignatures(String owner) throws Exception {
    // It is its own authority.
    TransportSecurity own =
        TransportSecurity.pem(file(owner + ".pem"), file(owner + ".key"), file(owner + ".pem"));
    Hints hints = Rig.tcp("127.0.0.1", Progress.AUTO);
    try (Rig left = Rig.reliable(hints, Rig.PATIENCE, own);
        Rig right = Rig.reliable(hints, Rig.PATIENCE, own)) {
      exchange(left, right, left.insert(right), right.insert(left), 10);
    }
    String other = owner.equals("pss") ? "bound-pss" : "pss";
    refused(
        Errno.EINVAL,
        "not that of",
        file(owner + ".pem"),
        file(other + ".key"),
        file(owner + ".pem"));
  }

  @ParameterizedTest
  @MethodSource("sides")
  @DisplayName("Endpoints with one peer: accepted, rejected, and refused without a certificate")
  void onePeer(Progress progress) throws Exception {
    try (MsgSide server = new MsgSide(progress);
        MsgSide client = new MsgSide(progress)) {
      PassiveEndpoint passive = listen(server);
      ConnectedEndpoint accepted = caller(client, "two", passive);
      ConnectedEndpoint serving = server.accept(client);
      client.event(Event.Connected.class, server);
      MemorySegment buffer = Rig.buffer(1_000_000);
      serving.receive(buffer, "received");
      accepted.send(Rig.message("over TLS"), 0, "sent");
      assertThat(client.success(server).context()).isEqualTo("sent");
      assertThat(server.success(client).context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 8)).isEqualTo("over TLS");

      caller(client, "two", passive);
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      passive.reject(Objects.requireNonNull(request.info().handle()), new byte[] {42});
      Event.Failure rejected = client.event(Event.Failure.class, server);
      assertThat(rejected.errno()).isEqualTo(Errno.ECONNREFUSED);
      assertThat(rejected.errorData()).containsExactly(42);

      caller(client, "stranger", passive);
      assertThat(client.event(Event.Failure.class, server).errno()).isEqualTo(Errno.EACCES);

      accepted.shutdown();
      client.event(Event.Shutdown.class, server);
      server.event(Event.Shutdown.class, client);
    }
  }

  static Progress[] sides() {
    return new Progress[] {Progress.MANUAL, Progress.AUTO};
  }

  private static ConnectedEndpoint caller(MsgSide side, String owner, PassiveEndpoint passive) {
    ConnectedEndpoint endpoint = secure(side, owner);
    endpoint.connect(passive.address());
    return endpoint;
  }

  private static PassiveEndpoint listen(MsgSide side) {
    return side.listen(PassiveOptions.of(side.events).withSecurity(of("one")));
  }

  private static ConnectedEndpoint secure(MsgSide side, String owner) {
    return side.endpoint(ConnectionOptions.defaults().withSecurity(of(owner)));
  }

  @Test
  @DisplayName("Only where there are connections")
  void onlyWithConnections() {
    try (Rig rig = new Rig(Rig.udp())) {
      EndpointOptions options =
          EndpointOptions.of(rig.vector, rig.queue)
              .withConnections(ConnectionOptions.defaults().withSecurity(of("one")));
      assertThatThrownBy(() -> rig.domain.openEndpoint(options))
          .isInstanceOfSatisfying(
              FabricException.class, none -> assertThat(none.errno()).isEqualTo(Errno.ENOSYS));
    }
  }

  @Test
  @DisplayName("The page shows the code that runs here")
  void page() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.isDirectory(here.resolve("docs")) ? here : here.getParent();
    String name =
        "provider-net/src/test/java/org/ofi4j/provider/net/tcp/SecureConnectionsTest.java";
    String source = Files.readString(root.resolve(name));
    String code =
        source.substring(
            source.indexOf("    // The page begins here.\n")
                + "    // The page begins here.\n".length(),
            source.indexOf("\n    // The page ends here."));
    assertThat(Files.readString(root.resolve("docs/secure.md")))
        .contains("```java\n" + code.stripIndent() + "\n```\n");
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        ReliableEndpoint endpoint =
            rig.domain.openReliableEndpoint(
                secured(rig.vector, rig.queue, file("one.pem").getParent()))) {
      assertThat(endpoint.isOpen()).isTrue();
    }
  }

  private static EndpointOptions secured(
      AddressVector vector, CompletionQueue queue, Path directory) {
    // The page begins here.
    TransportSecurity security =
        TransportSecurity.pem(
            directory.resolve("one.pem"),
            directory.resolve("one.key"),
            directory.resolve("authority.pem"));
    EndpointOptions options =
        EndpointOptions.of(vector, queue)
            .withConnections(ConnectionOptions.defaults().withSecurity(security));
    // The page ends here.
    return options;
  }

  @Test
  @DisplayName("Files that are no such files are named, and so is what is wrong")
  void files() {
    Path good = file("one.pem");
    Path key = file("one.key");
    Path authority = file("authority.pem");
    refused(Errno.ENOENT, "nowhere.pem", Path.of("nowhere.pem"), key, authority);
    refused(Errno.EINVAL, "one.key", key, key, authority);
    refused(Errno.EINVAL, "PRIVATE KEY", good, good, authority);
    refused(Errno.EINVAL, "not that of", good, file("two.key"), authority);
    refused(Errno.EINVAL, "one.key", good, key, key);
  }

  @Test
  @DisplayName("A file whose first line is damaged is refused without a word of the key in it")
  void damagedKey(@TempDir Path directory) throws IOException {
    String whole = Files.readString(file("one.key"));
    String secret = whole.lines().skip(1).findFirst().orElseThrow().substring(0, 20);
    for (String damaged :
        List.of(
            whole.replaceFirst("KEY-----", "KEY----"),
            whole.replaceFirst("KEY-----\n", "KEY\n"),
            whole.replace("\n", "").replaceFirst("KEY-----", "KEY"),
            whole.replace("MI", "*I").replaceFirst("-----END", "----END"))) {
      Path file = Files.writeString(directory.resolve("damaged.key"), damaged);
      assertThatThrownBy(() -> TransportSecurity.pem(file("one.pem"), file, file("authority.pem")))
          .isInstanceOfSatisfying(
              FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining("damaged.key")
          .satisfies(refused -> {
            StringWriter all = new StringWriter();
            refused.printStackTrace(new PrintWriter(all));
            assertThat(all.toString()).doesNotContain(secret);
          });
    }
  }

  private static void refused(Errno errno, String words, Path own, Path key, Path authority) {
    try {
      TransportSecurity.pem(own, key, authority);
      throw new AssertionError("taken: " + own + ", " + key + ", " + authority);
    } catch (FabricException refused) {
      assertThat(refused.errno()).isEqualTo(errno);
      assertThat(refused).hasMessageContaining(words);
    }
  }
}
