// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/** How long connections with TLS may take to introduce themselves. */
class ListenerTest {
  /** Accepts connections; steps of their handshakes wait until the test does them. */
  private static final class Owner extends Connection.Owner implements AutoCloseable {
    final Queue<Runnable> steps;
    final Listener listener;
    final InetSocketAddress name;
    private final ScriptedAccess rig;
    private @Nullable Throwable lost;

    Owner(ScriptedAccess rig) throws Exception {
      Queue<Runnable> steps = new ArrayDeque<>();
      super(
          rig.mover(),
          new Security(
              TransportSecurity.of(SSLContext.getDefault()), new Staging.Pool(), steps::add));
      this.steps = steps;
      this.rig = rig;
      ServerSocketChannel channel = ServerSocketChannel.open();
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      channel.configureBlocking(false);
      name = (InetSocketAddress) channel.getLocalAddress();
      listener = new Listener(this, new LocalSocket<>(channel, name, name));
    }

    /** Accepts a connection whose handshake has something to do. */
    Connection begun(Socket peer) throws IOException {
      peer.getOutputStream().write(0x16);
      while (listener.all().isEmpty()) {
        listener.act(SelectionKey.OP_ACCEPT);
      }
      Connection accepted = listener.all().getFirst();
      awaitStep(accepted);
      return accepted;
    }

    void awaitStep(Connection connection) {
      while (steps.isEmpty()) {
        act(connection, SelectionKey.OP_READ);
      }
    }

    void doSteps() {
      for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
        step.run();
      }
    }

    @Override
    protected FrameHandler handler(Connection connection) {
      return rig.frames(connection);
    }

    @Override
    protected void proceed(Connection connection, int ready) throws IOException {
      assertThat(ready).isEqualTo(SelectionKey.OP_READ);
      assertThat(listener.read(connection)).isFalse();
    }

    @Override
    protected void ended(Connection connection, Throwable failed) {
      lost = failed;
      connection.abandon();
    }

    @Override
    protected void tick(long now) {
      listener.tick(now);
    }

    @Override
    public void close(Trouble trouble) {}

    @Override
    public void close() {
      listener.all().forEach(Connection::abandon);
      listener.close();
    }
  }

  @Test
  @DisplayName("While a handshake waits for a thread of ours, its time does not run out")
  void waitsForThread() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Owner owner = new Owner(rig);
        Socket peer = new Socket(owner.name.getAddress(), owner.name.getPort())) {
      Connection connection = owner.begun(peer);
      owner.tick(connection.deadline);
      assertThat(owner.listener.all()).containsExactly(connection);
      owner.doSteps();
      // All its time is from now on, whether anybody has read since or not.
      owner.tick(connection.deadline);
      owner.tick(connection.deadline - 1);
      assertThat(owner.listener.all()).containsExactly(connection);
      assertThat(owner.lost).isNull();
      owner.tick(connection.deadline);
      assertThat(owner.listener.all()).isEmpty();
      // So that it is counted, and somebody finds out.
      assertThat(owner.lost)
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("longer than 5 seconds");
    }
  }

  @Test
  @DisplayName("The time of a handshake begins when a thread takes up its first step, and once")
  void timeBegins() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Owner owner = new Owner(rig);
        Socket peer = new Socket(owner.name.getAddress(), owner.name.getPort())) {
      Connection connection = owner.begun(peer);
      long accepted = connection.deadline;
      owner.doSteps();
      owner.act(connection, SelectionKey.OP_READ);
      long begun = connection.deadline;
      assertThat(begun).isGreaterThan(accepted);
      peer.getOutputStream().write(0x03);
      owner.awaitStep(connection);
      owner.doSteps();
      owner.act(connection, SelectionKey.OP_READ);
      assertThat(connection.deadline).isEqualTo(begun);
    }
  }

  @Test
  void hostWithMostSilentConnectionsMakesSpace() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run);
        Owner owner = new Owner(rig);
        Sockets sockets = new Sockets(owner)) {
      Connection first = sockets.open("127.0.0.3");
      Connection second = sockets.open("127.0.0.2");
      for (int i = 2; i < TcpLimits.MAX_GREETINGS; i++) {
        sockets.open("127.0.0.2");
      }
      assertThat(owner.listener.all()).hasSize(TcpLimits.MAX_GREETINGS).contains(first, second);
      Connection last = sockets.open("127.0.0.2");
      assertThat(owner.listener.all())
          .hasSize(TcpLimits.MAX_GREETINGS)
          .contains(first, last)
          .doesNotContain(second);
    }
  }

  /** Connections from hosts of the loopback network that say nothing. */
  private record Sockets(Owner owner, List<Socket> open) implements AutoCloseable {
    Sockets(Owner owner) {
      this(owner, new ArrayList<>());
    }

    Connection open(String host) throws IOException {
      Socket socket = new Socket();
      open.add(socket);
      socket.bind(new InetSocketAddress(host, 0));
      socket.connect(owner.name);
      Connection newest = newest();
      while (owner.listener.all().isEmpty() || newest() == newest) {
        owner.listener.act(SelectionKey.OP_ACCEPT);
      }
      return owner.listener.all().getLast();
    }

    private @Nullable Connection newest() {
      return owner.listener.all().isEmpty() ? null : owner.listener.all().getLast();
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }
}
