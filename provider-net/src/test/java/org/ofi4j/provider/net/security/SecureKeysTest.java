// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.TransportSecurity;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.tcp.SecureConnectionsTest;

/** Authorization keys inside of TLS. */
class SecureKeysTest {
  private static final byte[] RED = Rig.key(1);
  private static final byte[] BLUE = Rig.key(2);
  private static final byte[] GREEN = Rig.key(3);
  private static final long BY_KEY = TransferFlag.AUTH_KEY.mask();
  private static final long ACKNOWLEDGED = TransferFlag.DELIVERY_COMPLETE.mask();
  private static final Duration BRIEF = Duration.ofSeconds(2);

  static List<Hints> kinds() {
    return Rig.tcpKinds().stream()
        .map(each -> each.withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.RMA))
        .toList();
  }

  private static Rig holding(Hints hints, String owner, byte[]... keys) {
    return Rig.holding(hints, Rig.PATIENCE, SecureConnectionsTest.of(owner), keys);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-157")
  @Tag("AV-165")
  @Tag("AV-166")
  @DisplayName("Messages and memory obey keys as they do in the clear, over many connections")
  void trafficObeysKeys(Hints hints) throws Exception {
    try (Rig server = holding(hints, "one", RED, BLUE);
        Rig client = holding(hints, "two", BLUE, RED)) {
      long blue = client.insertUnder(client.authKeys[0], server.name());
      long red = client.insertUnder(client.authKeys[1], server.name());
      MemorySegment forRed = Rig.buffer(100_000);
      MemorySegment forBlue = Rig.buffer(100_000);
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(forRed)
                  .sourceUnderKey(server.authKeys[0])
                  .context("red"));
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(forBlue)
                  .sourceUnderKey(server.authKeys[1])
                  .context("blue"));
      client.endpoint().send(Rig.message("b".repeat(90_000)), blue, "blue is out");
      assertThat(server.next(client).context()).isEqualTo("blue");
      client.endpoint().send(Rig.message("r".repeat(90_000)), red, "red is out");
      assertThat(server.next(client).context()).isEqualTo("red");
      assertThat(Rig.text(forRed, 90_000)).isEqualTo("r".repeat(90_000));
      assertThat(Rig.text(forBlue, 90_000)).isEqualTo("b".repeat(90_000));
      assertThat(client.next(server)).isInstanceOf(Completion.Success.class);
      assertThat(client.next(server)).isInstanceOf(Completion.Success.class);
      MemorySegment memory = Rig.buffer(8);
      try (MemoryRegion region =
          server.domain.register(
              memory,
              RegisterOptions.of(Access.REMOTE_WRITE)
                  .withAuthKey(server.vector, server.authKeys[0]))) {
        client
            .endpoint()
            .write(
                new WriteRequest()
                    .memory(Rig.message("of red"))
                    .destination(red)
                    .place(new RemotePlace(0, Long.MAX_VALUE, region.key()))
                    .context("written")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(client.next(server)).isInstanceOf(Completion.Success.class);
        assertThat(Rig.text(memory, 6)).isEqualTo("of red");
        client
            .endpoint()
            .write(
                new WriteRequest()
                    .memory(Rig.message("of blue"))
                    .destination(blue)
                    .place(new RemotePlace(0, Long.MAX_VALUE, region.key()))
                    .context("refused")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(client.next(server)).isInstanceOf(Completion.Failure.class);
        assertThat(Rig.text(memory, 6)).isEqualTo("of red");
      }
    }
  }

  @Test
  @Tag("AV-157")
  @DisplayName("A certificate without the key does not get in, nor the key without a certificate")
  void bothAreWanted() throws Exception {
    Hints hints =
        Rig.tcp("127.0.0.1", Progress.AUTO).withMoreCapabilities(Capability.DIRECTED_RECEIVE);
    try (Rig server = holding(hints, "one", RED);
        Rig friend = holding(hints, "two", RED)) {
      server.endpoint().receive(Rig.buffer(16), "received");
      TransportSecurity good = SecureConnectionsTest.of("two");
      try (Rig keyless = Rig.holding(hints, BRIEF, good, GREEN)) {
        refused(keyless, server, Errno.EKEYREJECTED);
      }
      TransportSecurity bad = SecureConnectionsTest.of("stranger");
      try (Rig stranger = Rig.holding(hints, BRIEF, bad, RED)) {
        refused(stranger, server, Errno.EACCES);
      }
      friend
          .endpoint()
          .inject(Rig.message("a friend"), friend.insertUnder(friend.authKeys[0], server.name()));
      assertThat(server.next())
          .isInstanceOfSatisfying(
              Completion.Success.class,
              received -> {
                assertThat(received.context()).isEqualTo("received");
                assertThat(received.source()).isEqualTo(Handles.NOT_AVAILABLE);
              });
    }
  }

  private static void refused(Rig intruder, Rig server, Errno errno) throws Exception {
    long to = intruder.insertUnder(intruder.authKeys[0], server.name());
    intruder.endpoint().send(Rig.message("let me in"), to, "refused");
    assertThat(intruder.next())
        .isInstanceOfSatisfying(
            Completion.Failure.class, failed -> assertThat(failed.errno()).isEqualTo(errno));
  }

  /** Both ends of one connection. */
  private static final class Link implements AutoCloseable {
    final SocketChannel left;
    final SocketChannel right;
    final SecureChannel client;
    final SecureChannel server;

    Link(Staging.Pool pool) throws IOException {
      TransportSecurity security = SecureConnectionsTest.of("one");
      try (ServerSocketChannel listener = ServerSocketChannel.open()) {
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        left = SocketChannel.open(listener.getLocalAddress());
        right = listener.accept();
      }
      left.configureBlocking(false);
      right.configureBlocking(false);
      InetSocketAddress here = (InetSocketAddress) right.getLocalAddress();
      client = channel(security, left, here, true, pool);
      server = channel(security, right, here, false, pool);
    }

    private static SecureChannel channel(
        TransportSecurity security,
        SocketChannel socket,
        InetSocketAddress peer,
        boolean connects,
        Staging.Pool pool)
        throws IOException {
      SecureChannel made = new Security(security, pool).over(socket, peer, connects);
      assertThat(made).isNotNull();
      return made;
    }

    /** Plays the handshake. */
    void establish() throws IOException {
      ByteBuffer one = ByteBuffer.wrap(new byte[] {1});
      client.write(one);
      ByteBuffer into = ByteBuffer.allocate(1);
      while (into.hasRemaining()) {
        server.read(into);
        client.read(ByteBuffer.allocate(1));
      }
    }

    @Override
    public void close() throws IOException {
      left.close();
      right.close();
    }
  }

  private static KeyDialogue dialogue(int key, SecureChannel over) {
    InetSocketAddress requester = new InetSocketAddress("10.1.1.1", 4000);
    InetSocketAddress acceptor = new InetSocketAddress("10.1.1.2", 5000);
    KeyProofs proofs =
        new KeyProofs(new int[] {7}, (_, pieces) -> KeyDialogueTest.hmac(RED, pieces));
    return new KeyDialogue(proofs, key, requester, acceptor, over);
  }

  private static boolean isProven(SecureChannel asks, SecureChannel isAsked) throws IOException {
    KeyDialogue asking = dialogue(7, asks);
    KeyDialogue asked = dialogue(KeyDialogue.NO_KEY, isAsked);
    byte[] request = new byte[108];
    asking.seal(ByteBuffer.wrap(request));
    assertThat(KeyDialogueTest.hears(asked, request)).as("the key is recognised").isTrue();
    byte[] challenge = new byte[124];
    asked.seal(ByteBuffer.wrap(challenge));
    return KeyDialogueTest.hears(asking, challenge);
  }

  @Test
  @DisplayName("Proofs of one TLS connection are worth nothing in another, whatever the addresses")
  void boundToConnection() throws Exception {
    Staging.Pool pool = new Staging.Pool();
    try (Link one = new Link(pool);
        Link other = new Link(pool)) {
      assertThatThrownBy(one.client::binding).isInstanceOf(SSLException.class);
      one.establish();
      other.establish();
      assertThat(isProven(one.client, one.server)).isTrue();
      assertThat(isProven(other.client, other.server)).isTrue();
      // As somebody has it who stands between two, with a good certificate and a good address.
      assertThat(isProven(one.client, other.server)).isFalse();
    }
  }

  @Test
  @DisplayName("Certificates name hosts, not the link that they are on")
  void scopeIsNoName() throws IOException {
    byte[] linkLocal = new byte[16];
    linkLocal[0] = (byte) 0xFE;
    linkLocal[1] = (byte) 0x80;
    linkLocal[15] = 1;
    InetAddress scoped = Inet6Address.getByAddress(null, linkLocal, 2);
    assertThat(scoped.getHostAddress()).contains("%");
    assertThat(PeerCertificate.name(scoped)).isEqualTo("fe80:0:0:0:0:0:0:1");
  }
}
