// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.Provider;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.Rig;

/** Connections whose TLS cannot be set up: they end, and leave no socket behind. */
class UnusableSecurityTest {
  private static final int SOCKETS = 5;

  /** A provider of TLS without engines. */
  private static final class Broken extends SSLContextSpi {
    final AtomicInteger asked = new AtomicInteger();

    static final class Context extends SSLContext {
      Context(Broken broken, Provider provider) {
        super(broken, provider, "broken");
      }
    }

    TransportSecurity security() throws Exception {
      return TransportSecurity.of(new Context(this, SSLContext.getDefault().getProvider()));
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      asked.incrementAndGet();
      throw new UnsupportedOperationException("there are no engines");
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      return engineCreateSSLEngine();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return new SSLParameters(new String[0], new String[] {"TLSv1.3"});
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {}

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      throw new UnsupportedOperationException();
    }
  }

  /** How many sockets this process has open. */
  private static long sockets() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(UnusableSecurityTest::isSocket).count();
    }
  }

  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (NoSuchFileException closed) {
      return false;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  @DisplayName("A peer that is tried again and again costs no sockets, and the send says why")
  void reliable() throws Exception {
    Broken broken = new Broken();
    try (Rig target = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        Rig rig =
            Rig.reliable(
                Rig.tcp("127.0.0.1", Progress.MANUAL), Duration.ofMillis(500), broken.security())) {
      long before = sockets();
      rig.endpoint().send(Rig.message("never"), rig.insert(target), "sent");
      assertThat(rig.next())
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> {
                assertThat(failure.errno()).isEqualTo(Errno.EACCES);
                assertThat(failure.reason()).contains("TLS").contains("there are no engines");
              });
      assertThat(broken.asked).hasValueGreaterThan(1);
      assertThat(sockets()).isEqualTo(before);
    }
  }

  @Test
  @DisplayName("What connects to an endpoint is closed at once, to a passive one too")
  void accepting() throws Exception {
    try (Rig rig =
            Rig.reliable(
                Rig.tcp("127.0.0.1", Progress.AUTO), Rig.PATIENCE, new Broken().security());
        MsgSide side = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive =
          side.listen(PassiveOptions.of(side.events).withSecurity(new Broken().security()));
      long before = sockets();
      for (int i = 0; i < SOCKETS; i++) {
        for (var name : List.of(rig.name(), passive.address())) {
          try (Socket socket = RawPeer.connect(name)) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
          }
        }
      }
      assertThat(sockets()).isEqualTo(before);
    }
  }

  @Test
  @DisplayName("An endpoint with one peer refuses to connect, and closing it closes its socket")
  void onePeer() throws Exception {
    try (MsgSide server = new MsgSide(Progress.MANUAL);
        MsgSide side = new MsgSide(Progress.MANUAL)) {
      PassiveEndpoint passive = server.listen();
      long before = sockets();
      for (int i = 0; i < SOCKETS; i++) {
        ConnectionOptions broken =
            ConnectionOptions.defaults().withSecurity(new Broken().security());
        try (ConnectedEndpoint endpoint = side.endpoint(broken)) {
          assertThatThrownBy(() -> endpoint.connect(passive.address()))
              .isInstanceOfSatisfying(
                  FabricException.class,
                  refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
              .hasMessageContaining("TLS");
        }
      }
      assertThat(sockets()).isEqualTo(before);
    }
  }
}
