// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.provider.net.endpoint.Staging;

/** TLS over a socket that is played. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SecureChannelTest {
  private static final int SIZE = 3 * Staging.SIZE;

  private static void pass(ScriptedSocket from, ScriptedSocket to) {
    to.say(from.written.toByteArray());
    from.written.reset();
  }

  @Test
  @DisplayName("A write that the socket breaks off counts as far as its bytes may arrive")
  void broken() throws Exception {
    Staging.Pool pool = new Staging.Pool();
    ScriptedSocket here = ScriptedSocket.connected();
    ScriptedSocket there = ScriptedSocket.connected();
    SecureChannel writer =
        new Security(SecureConnectionsTest.of("one"), pool).over(here, ScriptedSocket.THERE, true);
    SecureChannel reader =
        new Security(SecureConnectionsTest.of("two"), pool).over(there, ScriptedSocket.HERE, false);
    assertThat(writer).isNotNull();
    assertThat(reader).isNotNull();
    ByteBuffer in = ByteBuffer.allocate(SIZE);
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

    here.writes = 2;
    ByteBuffer message = ByteBuffer.allocate(SIZE);
    long taken = writer.write(message);
    pass(here, there);
    assertThat(taken).isBetween(1L, SIZE - 1L);
    assertThat((long) reader.read(in)).isEqualTo(taken);
    // It is the socket's end, whatever it says to the next one.
    here.writes = Integer.MAX_VALUE;
    assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    assertThat(here.written.size()).isZero();
  }
}
