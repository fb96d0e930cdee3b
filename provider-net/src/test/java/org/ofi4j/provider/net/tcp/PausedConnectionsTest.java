// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.FabricAddress;
import org.ofi4j.Progress;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.matching.FullRoom;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Connections that wait in the middle of a message take little memory, and nobody's way. */
class PausedConnectionsTest {
  /** No endpoint keeps a message of this length before a receive takes it. */
  private static final long ENDLESS = 1L << 40;

  private static final int HELLO = 8;
  private static final long MEGABYTE = 1 << 20;

  private static final long SLACK = MEGABYTE / 4;

  /** Heap of an open connection with its socket, its peer, and what is in tables for them. */
  private static final long CONNECTION = 4_096;

  /** What one that waits takes besides what came. */
  private static final long WAITING = 1_024;

  /** What the endpoint's process has more than at first. */
  private record Memory(long heap) {
    static Memory read(BufferedReader from) throws IOException {
      return new Memory(Long.parseLong(from.readLine()));
    }
  }

  /** An endpoint to which many connect, and says what that takes. */
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) throws Exception {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      PrintStream out = System.out;
      try (Rig server = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
          Rig good = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO))) {
        long to = good.insert(server);
        talk(server, good, to);
        // Connections that wait are logged, and the first line of a log takes its process memory.
        new FullRoom("nobody", 1, "nobody", 0, 0).tell("rehearsal");
        long heap = heap();
        out.println(server.name());
        int connections = Integer.parseInt(in.readLine());
        MemorySegment hello = Rig.buffer(HELLO);
        // Each says hello, and later once more with what it waits for behind that.
        for (int round = 0; round < 2; round++) {
          for (int i = 0; i < connections; i++) {
            server.endpoint().receiveTagged(hello, TagPattern.exactly(7), "hello");
            server.next();
            out.println("hello");
          }
          out.println(heap() - heap);
        }
        // Of four, which is less than they took before.
        out.println(ByteBuffer.allocateDirect(2 * (int) MEGABYTE).capacity());
        in.readLine();
        for (int i = 0; i < 20; i++) {
          talk(server, good, to);
        }
        out.println("talked");
        // What comes over one that was paused, in pieces.
        for (int i = 0; i < 3; i++) {
          MemorySegment message = MemorySegment.ofArray(new byte[100_000]);
          server.endpoint().receiveTagged(message, TagPattern.exactly(i), "late");
          Completion.Success late = (Completion.Success) server.next();
          out.println(
              late.length() + " of " + message.get(ValueLayout.JAVA_BYTE, late.length() - 1));
        }
      }
    }

    private static void talk(Rig server, Rig good, long to) throws Exception {
      server.endpoint().receiveTagged(Rig.buffer(100), TagPattern.exactly(77), "good");
      good.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("good"))
                  .destination(to)
                  .tag(77)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      assertThat(good.next()).isInstanceOf(Completion.Success.class);
      assertThat(server.next()).isInstanceOf(Completion.Success.class);
    }

    private static long heap() {
      System.gc();
      System.gc();
      return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
  }

  @Test
  @DisplayName("Hundreds of connections in the middle of a message take a few kilobytes each")
  void hundredsWait() throws Exception {
    wait(300, 24);
  }

  @Test
  @Tag("long")
  @DisplayName("Ten thousand connections in the middle of a message take a few kilobytes each")
  void thousandsWait() throws Exception {
    wait(Integer.getInteger("ofi4j.connections", 10_000), 24);
  }

  @Test
  @DisplayName("When connections keep as much as they may, the others go on, and so do they later")
  void othersGoOnAtTheLimit() throws Exception {
    wait(600, 60_000);
  }

  /** Has connections wait, each with so many bytes behind the header that it waits for. */
  private static void wait(int connections, int behind) throws Exception {
    List<Socket> hostile = new ArrayList<>();
    Process process =
        EndpointProcess.builder(Server.class, List.of("-Xmx128m", "-XX:MaxDirectMemorySize=4m"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        PrintStream in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8)) {
      FabricAddress server = FabricAddress.parse(out.readLine());
      in.println(connections);
      for (int i = 0; i < connections; i++) {
        Socket socket = join(server, i);
        hostile.add(socket);
        socket.getOutputStream().write(frame(ByteBuffer.allocate(24 + HELLO), 1, 7, HELLO).array());
        assertThat(out.readLine()).isEqualTo("hello");
      }
      Memory idle = Memory.read(out);
      for (Socket socket : hostile) {
        ByteBuffer bytes = ByteBuffer.allocate(24 + HELLO + 16 + behind);
        frame(bytes, 1, 7, HELLO).position(24 + HELLO);
        frame(bytes, 0, 0, ENDLESS);
        socket.getOutputStream().write(bytes.array());
        assertThat(out.readLine()).isEqualTo("hello");
      }
      Memory waiting = Memory.read(out);
      System.out.printf(
          "%d connections: %,d bytes of heap for each that is idle, %,d more for each that waits%n",
          connections, idle.heap / connections, (waiting.heap - idle.heap) / connections);
      assertThat(out.readLine()).isEqualTo("" + 2 * MEGABYTE);
      assertThat(idle.heap).isLessThan(SLACK + connections * CONNECTION);
      long came = Math.min((long) connections * behind, TcpLimits.KEPT_BYTES + MEGABYTE / 8);
      assertThat(waiting.heap - idle.heap).isLessThan(SLACK + came + connections * WAITING);

      // One more, of which the rest comes: messages of several lengths, one after the other.
      Socket late = join(server, connections);
      hostile.add(late);
      ByteBuffer bytes = ByteBuffer.allocate(3 * 24 + 50 + 100_000 + 20_000);
      for (int[] each : new int[][] {{50, 2}, {100_000, 1}, {20_000, 0}}) {
        frame(bytes, 1, each[1], each[0]);
        byte[] content = new byte[each[0]];
        Arrays.fill(content, (byte) each[0]);
        bytes.put(content);
      }
      late.getOutputStream().write(bytes.array());
      in.println();
      assertThat(out.readLine()).isEqualTo("talked");
      assertThat(out.readLine()).isEqualTo("20000 of " + (byte) 20_000);
      assertThat(out.readLine()).isEqualTo("100000 of " + (byte) 100_000);
      assertThat(out.readLine()).isEqualTo("50 of 50");
      assertThat(process.waitFor()).isZero();
    } finally {
      process.destroyForcibly();
      for (Socket socket : hostile) {
        socket.close();
      }
    }
  }

  /** A connection of one more peer that has been accepted. */
  private static Socket join(FabricAddress server, int number) throws IOException {
    Socket socket = RawPeer.connect("127.0.0." + (2 + number % 8), server);
    socket
        .getOutputStream()
        .write(
            ByteBuffer.allocate(40)
                .put(new byte[] {3, 0, 0, 8})
                .position(24)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(1)
                .order(ByteOrder.BIG_ENDIAN)
                .putShort(34, (short) (1 + number))
                .putInt(36, 77)
                .array());
    assertThat(socket.getInputStream().readNBytes(40)).hasSize(40);
    return socket;
  }

  /** The header of a message, tagged or not. */
  private static ByteBuffer frame(ByteBuffer into, int operation, long tag, long payload) {
    int size = operation == 0 ? 16 : 24;
    into.order(ByteOrder.LITTLE_ENDIAN).put((byte) 3).put((byte) operation).putShort((short) 0);
    into.put((byte) 0).put((byte) 0).put((byte) size).put((byte) 0).putLong(size + payload);
    return operation == 0 ? into : into.putLong(tag);
  }
}
