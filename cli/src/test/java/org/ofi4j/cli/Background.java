// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** Commands that run beside a test. */
public final class Background {
  private Background() {}

  public static CompletableFuture<CommandRun> run(String... args) {
    CompletableFuture<CommandRun> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("ofi4j " + String.join(" ", args))
        .start(() -> {
          try {
            result.complete(CommandRun.of(args));
          } catch (Throwable failure) {
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  public static CommandRun finished(CompletableFuture<CommandRun> run) throws Exception {
    return run.get();
  }

  /** A TCP port that nobody uses at the moment. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /**
   * Waits until somebody listens. Looks at the kernel's table, because a server takes its first
   * connection for its client.
   */
  public static void awaitListening(int port) throws Exception {
    String wanted = String.format(":%04X 00000000:0000 0A", port);
    String wanted6 = String.format(":%04X %s:0000 0A", port, "0".repeat(32));
    while (true) {
      String table =
          java.nio.file.Files.readString(java.nio.file.Path.of("/proc/net/tcp"))
              + java.nio.file.Files.readString(java.nio.file.Path.of("/proc/net/tcp6"));
      if (table.contains(wanted) || table.contains(wanted6)) {
        return;
      }
      Thread.sleep(5);
    }
  }

  public static Socket connect(int port) throws Exception {
    awaitListening(port);
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }
}
