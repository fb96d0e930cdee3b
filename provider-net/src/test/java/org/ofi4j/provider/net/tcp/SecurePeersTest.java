// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Peers of the JDK's own TLS that do what endpoints never do. */
class SecurePeersTest {
  /** Has the TLS session of an earlier connection taken up again, from whichever host. */
  private static SSLSocket resumed(SSLContext context, Rig to, String from) throws IOException {
    InetSocketAddress target = SocketAddresses.of(to.name());
    Socket plain;
    try {
      plain = RawPeer.connect(from, to.name());
    } catch (BindException missing) {
      return abort("this system has no address " + from + ": " + missing);
    }
    // The name by which the context finds the session that it knows.
    String host = target.getHostString();
    return (SSLSocket) context.getSocketFactory().createSocket(plain, host, target.getPort(), true);
  }

  /** Whether a request over it is answered. */
  private static boolean isTaken(SSLSocket socket, RawPeer peer) {
    try {
      socket.getOutputStream().write(peer.request(7));
      return RawPeer.answer(socket) == 1;
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  @DisplayName("A session that was begun at the certificate's host is not taken up from another")
  void sessionOfAnotherHost() throws Exception {
    SSLContext context = SecureConnectionsTest.of("two").context();
    try (Rig guarded =
            Rig.reliable(
                Rig.tcp("127.0.0.1", Progress.AUTO),
                Rig.PATIENCE,
                SecureConnectionsTest.of("one"));
        RawPeer peer = new RawPeer()) {
      long begun;
      try (SSLSocket first = resumed(context, guarded, "127.0.0.1")) {
        assertThat(isTaken(first, peer)).isTrue();
        begun = first.getSession().getCreationTime();
      }
      try (SSLSocket second = resumed(context, guarded, "127.0.0.1")) {
        assertThat(isTaken(second, peer)).isTrue();
        assertThat(second.getSession().getCreationTime()).as("taken up again").isEqualTo(begun);
      }
      try (SSLSocket elsewhere = resumed(context, guarded, "127.0.0.2")) {
        assertThat(isTaken(elsewhere, peer)).isFalse();
      }
    }
  }

  @Test
  @DisplayName(
      "A context that nobody has initialised is refused at once, and not by each connection")
  void contextWithoutKeys() throws Exception {
    SSLContext raw = SSLContext.getInstance("TLSv1.3");
    assertThatThrownBy(() -> TransportSecurity.of(raw))
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining("not initialised");
    raw.init(null, null, null);
    assertThat(TransportSecurity.of(raw).checksHosts()).isTrue();
  }

  @Test
  @DisplayName("A flood of new keys costs the connection, and some now and then do not")
  void newKeys() throws Exception {
    try (RejectedLines log = new RejectedLines();
        Rig guarded =
            Rig.reliable(
                Rig.tcp("127.0.0.1", Progress.AUTO),
                Rig.PATIENCE,
                SecureConnectionsTest.of("one"));
        RawPeer peer = new RawPeer();
        Socket socket = RawPeer.connect(guarded.name())) {
      SSLContext context = SecureConnectionsTest.of("two").context();
      ByteBuffer received = ByteBuffer.allocate(1 << 16).flip();
      SSLEngine engine = TlsPeer.shakeHands(context, socket, received);
      MemorySegment buffer = Rig.buffer(16);
      guarded.endpoint().receive(buffer, "received");
      TlsPeer.write(socket, TlsPeer.encrypted(engine, peer.request(7)));
      TlsPeer.write(socket, TlsPeer.newKeys(engine, TcpLimits.TLS_RECORDS_IN_VAIN));
      TlsPeer.write(socket, TlsPeer.encrypted(engine, peer.frame("a message")));
      assertThat(guarded.next().context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 9)).isEqualTo("a message");
      TlsPeer.write(socket, TlsPeer.newKeys(engine, 1_000));
      assertThat(RawPeer.isClosed(socket)).isTrue();
      assertThat(log.await(1)).singleElement().asString().contains("without a message");
    }
  }
}
