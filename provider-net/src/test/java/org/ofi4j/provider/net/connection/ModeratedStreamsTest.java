// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.IdleTarget;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.tcp.ScriptedSocket;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Nowhere;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Connections that are polled while one message after the other comes over them. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ModeratedStreamsTest {
  /** Often enough that what only mostly happens is seen. */
  private static final int TIMES = 200;

  /** A message without payload. */
  private static final byte[] MESSAGE =
      ByteBuffer.allocate(16)
          .order(ByteOrder.LITTLE_ENDIAN)
          .put(new byte[] {3, 0, 0, 0, 0, 1, 16, 0})
          .putLong(16)
          .array();

  private final Polled polled = new Polled();
  private final ScriptedSocket socket = ScriptedSocket.connected();
  private final Connection connection = new Connection(socket, null, Connection.State.OPEN, polled);

  /** Has the connection, and polls it. */
  private static final class Polled extends ConnectionOwner {
    private int messages;

    Polled() {
      super(
          new FrameMover(
              new Readiness(new IdleTarget() {}, null),
              new Staging.Pool(),
              new ConnectionTotals(),
              true,
              System::nanoTime));
    }

    @Override
    public FrameHandler handler(Connection connection) {
      return _ -> {
        messages++;
        return Nowhere.INSTANCE;
      };
    }

    @Override
    public void forEachOpen(Consumer<Connection> action) {}

    @Override
    public void act(Connection connection, int ready) {}

    @Override
    public void lost(Connection connection, Throwable failed) {
      connection.close(new Operations<>(), Errno.ECONNRESET, "it is lost");
      throw new AssertionError("the connection is lost", failed);
    }

    @Override
    protected void tick(long now) {}

    @Override
    public void close(Trouble trouble) {}
  }

  /** Messages come; says whether a poll has read them. */
  private boolean isReadAtOnce() {
    int before = polled.messages;
    for (int i = 0; i < 3; i++) {
      socket.say(MESSAGE);
    }
    polled.mover.poll();
    return polled.messages > before;
  }

  /** Polls until all messages that came have been read, though nothing else comes. */
  private void readAll() {
    while (polled.messages * MESSAGE.length < socket.said.size()) {
      polled.mover.poll();
    }
  }

  /** Messages come, one by one, until reads may be put off. */
  private void stream() {
    connection.hot.end();
    for (int i = 0; i < TcpLimits.STREAM; i++) {
      socket.say(MESSAGE);
      readAll();
    }
  }

  @BeforeEach
  void traffic() {
    // From here on it is read without asking a selector.
    socket.say(MESSAGE);
    polled.mover.move(connection, SelectionKey.OP_READ);
    assertThat(connection.hot).isNotNull();
  }

  @Test
  @DisplayName("Reads are put off, and each message is read without any other to follow it")
  void putOff() {
    int later = 0;
    while (later < TIMES) {
      stream();
      if (!isReadAtOnce()) {
        later++;
      }
      readAll();
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  @DisplayName("Once something was sent the next message is read at once")
  void sending() {
    for (int i = 0; i < TIMES; i++) {
      stream();
      connection.writer().acknowledge();
      polled.mover.write(connection);
      assertThat(isReadAtOnce()).isTrue();
    }
  }

  @Test
  @DisplayName("So it is once a thread is about to sleep")
  void sleeping() {
    for (int i = 0; i < TIMES; i++) {
      stream();
      polled.mover.readAtOnce();
      assertThat(isReadAtOnce()).isTrue();
    }
  }

  @Test
  @DisplayName("So it is after a pause")
  void pause() {
    for (int i = 0; i < TIMES; i++) {
      stream();
      while (connection.hot.idleReads == 0) {
        polled.mover.poll();
      }
      assertThat(isReadAtOnce()).isTrue();
    }
  }

  @Test
  @DisplayName("What a selector tells of is read at once")
  void selected() {
    for (int i = 0; i < TIMES; i++) {
      stream();
      int before = polled.messages;
      socket.say(MESSAGE);
      polled.mover.move(connection, SelectionKey.OP_READ);
      assertThat(polled.messages).isEqualTo(before + 1);
    }
  }
}
