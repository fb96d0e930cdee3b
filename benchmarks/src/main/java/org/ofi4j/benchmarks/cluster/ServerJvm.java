// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.ofi4j.benchmarks.process.StandardInput;

/** A server of ZooKeeper. Says where it is, and ends with its input. */
final class ServerJvm {
  private static final int TICK_MILLIS = 2000;
  private static final int LONGEST_SESSION_MILLIS = 120_000;

  /** How many connections a client may have. */
  private static final int UNLIMITED = 0;

  private ServerJvm() {}

  /** Serves; the argument is where to keep what is written. */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static void main(String[] arguments) throws Exception {
    // Those who publish are not measured; what is read comes from memory.
    System.setProperty("zookeeper.forceSync", "no");
    File data = Files.createDirectories(Path.of(arguments[0], "data")).toFile();
    // From its parts: ZooKeeperServerEmbedded leaves a file in the temporary directory.
    ZooKeeperServer server = new ZooKeeperServer(data, data, TICK_MILLIS);
    server.setMaxSessionTimeout(LONGEST_SESSION_MILLIS);
    ServerCnxnFactory connections =
        ServerCnxnFactory.createFactory(
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), UNLIMITED);
    connections.startup(server);
    System.out.println("ok 127.0.0.1:" + connections.getLocalPort());
    System.out.flush();
    var lines = StandardInput.lines();
    while (true) {
      lines.take();
    }
  }
}
