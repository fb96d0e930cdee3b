// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.FabricAddress;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.FreePort;
import org.ofi4j.provider.net.Rig;

/** A close that finds no memory closes the sockets all the same. */
class FullHeapTest {
  /** Closes an endpoint with a full heap; prints what is wrong, and "done" at the end. */
  static final class Program {
    private static final int CONNECTIONS = 20;

    // Static, as the compiler may take what no one reads for garbage.
    private static Object @Nullable [] hog;

    private Program() {}

    public static void main(String[] arguments) throws Exception {
      List<Socket> sockets = new ArrayList<>();
      // No port that the kernel gives another process after the close.
      String port = Integer.toString(FreePort.find());
      Progress progress = Progress.valueOf(arguments[0]);
      try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", port, progress));
          RawPeer peer = new RawPeer()) {
        FabricAddress name = rig.name();
        InetSocketAddress address = ((FabricAddress.SocketAddress4) name).toSocketAddress();
        for (int i = 0; i < CONNECTIONS; i++) {
          sockets.add(RawPeer.connect(name));
        }
        Socket joined = RawPeer.connect(name);
        sockets.add(joined);
        joined.getOutputStream().write(peer.request(7));
        while (joined.getInputStream().available() == 0) {
          rig.queue.read(Duration.ofMillis(10));
        }
        fill();
        Throwable thrown = null;
        try {
          rig.endpoint().close();
        } catch (RuntimeException | Error failed) {
          thrown = failed;
        }
        hog = null;
        if (rig.endpoint().isOpen()) {
          System.out.println("open after " + thrown);
        }
        // Finishes what the first close could not.
        rig.endpoint().close();
        try (Socket late = new Socket()) {
          late.connect(address);
          System.out.println("the port is open after " + thrown);
        } catch (ConnectException refused) {
          // Nothing listens there any more.
        }
        for (Socket socket : sockets) {
          checkClosed(socket);
        }
      }
      System.out.println("done");
    }

    private static void fill() {
      Object[] kept = new Object[1 << 18];
      hog = kept;
      int count = 0;
      for (int size : new int[] {1 << 20, 1 << 14, 1 << 10, 256, 32, 8, 1}) {
        try {
          while (count < kept.length) {
            kept[count++] = new byte[size];
          }
        } catch (OutOfMemoryError full) {
          // Goes on with smaller pieces.
        }
      }
    }

    private static void checkClosed(Socket socket) throws IOException {
      try {
        while (socket.getInputStream().read() >= 0) {
          // The answer to its request.
        }
      } catch (SocketTimeoutException silent) {
        System.out.println("a connection is open");
      } catch (IOException reset) {
        // It is closed.
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  void closeWithAFullHeapClosesThePortAndTheConnections(Progress progress) throws Exception {
    Process process =
        EndpointProcess.builder(Program.class, List.of("-Xmx64m"), progress.name())
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEqualTo("done\n");
    } finally {
      process.destroyForcibly();
    }
  }
}
