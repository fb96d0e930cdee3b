// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.jspecify.annotations.Nullable;

/** A server of ZooKeeper in this process, on the loopback interface. */
final class EmbeddedServer {
  private static final String HOST = "127.0.0.1";

  /** A quarter of a second: sessions may be as short as half of one. */
  private static final int TICK_MILLIS = 250;

  private static final int LONGEST_SESSION_MILLIS = 60_000;

  /** How many connections a client may have. */
  private static final int UNLIMITED = 0;

  private final ServerCnxnFactory connections;
  private final Path data;
  private final boolean isTemporary;

  private EmbeddedServer(ServerCnxnFactory connections, Path data, boolean isTemporary) {
    this.connections = connections;
    this.data = data;
    this.isTemporary = isTemporary;
  }

  /**
   * Starts one.
   *
   * @param port where to listen, 0 for any
   * @param directory where to keep what is written, or null for a temporary one
   */
  static EmbeddedServer start(int port, @Nullable Path directory) throws IOException {
    requireFree(port);
    Path data =
        directory == null
            ? Files.createTempDirectory("ofi4j-cluster-")
            : Files.createDirectories(directory);
    try {
      ServerCnxnFactory connections = serve(port, data.resolve("data"));
      // It sets one that only logs.
      Thread.setDefaultUncaughtExceptionHandler(null);
      return new EmbeddedServer(connections, data, directory == null);
    } catch (Exception | LinkageError failure) {
      if (directory == null) {
        delete(data);
      }
      throw new IOException("the server of ZooKeeper does not start: " + failure, failure);
    }
  }

  /** It would say no more than that it did not start in time. */
  private static void requireFree(int port) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
    } catch (IOException taken) {
      throw new IOException(
          HOST + ":" + port + ": " + taken.getMessage() + "; give another --port, or 0 for any",
          taken);
    }
  }

  /**
   * Starts a server from its parts. ZooKeeperServerEmbedded would write its configuration into the
   * temporary directory and leave it there.
   */
  private static ServerCnxnFactory serve(int port, Path directory) throws Exception {
    // Read once, when the first log is opened: what is tried out need not survive a power failure.
    System.setProperty("zookeeper.forceSync", "no");
    File data = Files.createDirectories(directory).toFile();
    ZooKeeperServer server = new ZooKeeperServer(data, data, TICK_MILLIS);
    server.setMaxSessionTimeout(LONGEST_SESSION_MILLIS);
    ServerCnxnFactory connections =
        ServerCnxnFactory.createFactory(
            new InetSocketAddress(InetAddress.ofLiteral(HOST), port), UNLIMITED);
    try {
      connections.startup(server);
      return connections;
    } catch (Exception | LinkageError failure) {
      connections.shutdown();
      throw failure;
    }
  }

  String address() {
    return HOST + ":" + connections.getLocalPort();
  }

  Path data() {
    return data;
  }

  /** Ends it; a temporary directory goes with it. */
  void close() {
    connections.shutdown();
    if (isTemporary) {
      delete(data);
    }
  }

  private static void delete(Path directory) {
    try {
      List<Path> files;
      try (Stream<Path> found = Files.walk(directory)) {
        files = found.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (IOException left) {
      System.getLogger(EmbeddedServer.class.getName())
          .log(System.Logger.Level.WARNING, "{0} is left: {1}", directory, left.toString());
    }
  }
}
