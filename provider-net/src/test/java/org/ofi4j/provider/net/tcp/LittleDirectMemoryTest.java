// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** A JVM with little memory outside the heap has less speed, and all of its messages. */
class LittleDirectMemoryTest {
  private static final int SIZE = 100_000;

  private static final int MESSAGES = 300;

  /** Sends messages from one endpoint to another. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      try (Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
          Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
          Arena arena = Arena.ofShared()) {
        MemorySegment message = arena.allocate(SIZE, TcpLimits.PAGE);
        MemorySegment received = MemorySegment.ofArray(new byte[SIZE]);
        long handle = from.insert(to);
        for (int i = 0; i < MESSAGES; i++) {
          message.fill((byte) i);
          to.endpoint().receive(received, "received");
          from.endpoint().send(message, handle, "sent");
          assertThat(from.next()).isInstanceOf(Completion.Success.class);
          assertThat(to.next()).isInstanceOf(Completion.Success.class);
          assertThat(received.mismatch(message)).as("message %d", i).isEqualTo(-1);
        }
      }
      System.out.println("all of them");
    }
  }

  @Test
  @DisplayName("Large messages need no memory outside the heap that is not there")
  void largeMessagesArrive() throws Exception {
    Process process =
        EndpointProcess.builder(Program.class, List.of("-XX:MaxDirectMemorySize=320k"))
            .redirectErrorStream(true)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(output.strip()).isEqualTo("all of them");
    } finally {
      process.destroyForcibly();
    }
  }
}
