// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.tcp.ScriptedSocket;
import org.ofi4j.provider.net.tcp.SecureConnectionsTest;
import org.ofi4j.provider.net.wire.TcpLimits;

/** TLS over a socket that is played. */
public class SecureChannelTest {
  private static final int SIZE = 3 * Staging.SIZE;

  private final Staging.Pool pool = new Staging.Pool();
  private final ScriptedSocket here = ScriptedSocket.connected();
  private final ScriptedSocket there = ScriptedSocket.connected();
  private final SecureChannel writer = over(here, "one", true);
  private final SecureChannel reader = over(there, "two", false);
  private final ByteBuffer in = ByteBuffer.allocate(SIZE);

  private SecureChannel over(ScriptedSocket socket, String owner, boolean connects) {
    try {
      return Objects.requireNonNull(
          new Security(SecureConnectionsTest.of(owner), pool, Runnable::run)
              .over(socket, connects ? ScriptedSocket.THERE : ScriptedSocket.HERE, connects));
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** What one end has written has come to the other. */
  public static void pass(ScriptedSocket from, ScriptedSocket to) {
    to.say(from.written.toByteArray());
    from.written.reset();
  }

  @BeforeEach
  void shakeHands() throws IOException {
    for (int i = 0; i < 10; i++) {
      writer.proceed();
      pass(here, there);
      reader.read(in);
      reader.proceed();
      pass(there, here);
      writer.read(in);
    }
    assertThat(writer.binding()).isEqualTo(reader.binding());
    assertThat(in.position()).isZero();
  }

  @Test
  @DisplayName("A write that the socket breaks off counts as far as its bytes may arrive")
  void broken() throws Exception {
    here.writes = 2;
    ByteBuffer message = ByteBuffer.allocate(SIZE);
    long taken = writer.write(message);
    pass(here, there);
    assertThat(taken).isBetween(1L, SIZE - 1L);
    long came = 0;
    for (int count = reader.read(in); count > 0; count = reader.read(in)) {
      came += count;
    }
    assertThat(came).isEqualTo(taken);
    // It is the socket's end, whatever it says to the next one.
    here.writes = Integer.MAX_VALUE;
    assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    assertThat(here.written.size()).isZero();
  }

  @Test
  @DisplayName("An end that the peer has not said has been cut off, after all that came")
  void cutOff() throws Exception {
    writer.write(ByteBuffer.allocate(10));
    pass(here, there);
    there.ended = true;
    assertThat(reader.read(in)).isEqualTo(10);
    assertThatThrownBy(() -> reader.read(in))
        .isInstanceOf(CutOffException.class)
        .hasMessageContaining("TLS");
  }

  @Test
  @DisplayName("An end that the peer has said is one")
  void end() throws Exception {
    writer.write(ByteBuffer.allocate(10));
    writer.finish();
    pass(here, there);
    there.ended = true;
    assertThat(reader.read(in)).isEqualTo(10);
    assertThat(reader.read(in)).isEqualTo(-1);
  }

  @Test
  @DisplayName("Of records of a byte each, a call takes a bounded number, and the next one others")
  void tinyRecords() throws Exception {
    int count = 3 * TcpLimits.TLS_RECORDS;
    for (int i = 0; i < count; i++) {
      writer.write(ByteBuffer.allocate(1));
    }
    pass(here, there);
    for (int i = 0; i < 3; i++) {
      assertThat(reader.read(in)).isEqualTo(TcpLimits.TLS_RECORDS);
    }
    assertThat(reader.read(in)).isZero();
  }
}
