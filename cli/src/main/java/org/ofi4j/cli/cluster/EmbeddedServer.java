// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.jspecify.annotations.Nullable;

/** A server of ZooKeeper in this process, on the loopback interface. */
final class EmbeddedServer {
  private static final String HOST = "127.0.0.1";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ZooKeeperServerEmbedded server;
  private final String address;
  private final Path data;
  private final Path temporary;

  private EmbeddedServer(
      ZooKeeperServerEmbedded server, String address, Path data, Path temporary) {
    this.server = server;
    this.address = address;
    this.data = data;
    this.temporary = temporary;
  }

  /**
   * Starts one.
   *
   * @param port where to listen, 0 for any
   * @param directory where to keep what is written, or null for a temporary one
   */
  static EmbeddedServer start(int port, @Nullable Path directory) throws IOException {
    requireFree(port);
    if (directory != null) {
      Files.createDirectories(directory);
    }
    // Each start writes its configuration into the base directory, as a file with a new name.
    Path temporary = Files.createTempDirectory("ofi4j-cluster-");
    Path data = directory == null ? temporary : directory;
    try {
      ZooKeeperServerEmbedded server =
          ZooKeeperServerEmbedded.builder()
              .baseDir(temporary)
              .configuration(properties(port, data))
              .exitHandler(ExitHandler.LOG_ONLY)
              .build();
      server.start(PATIENCE.toMillis());
      // It sets one that only logs.
      Thread.setDefaultUncaughtExceptionHandler(null);
      return new EmbeddedServer(server, server.getConnectionString(), data, temporary);
    } catch (Exception | LinkageError failure) {
      delete(temporary);
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

  private static Properties properties(int port, Path data) {
    Properties properties = new Properties();
    properties.setProperty("dataDir", data.resolve("data").toAbsolutePath().toString());
    properties.setProperty("clientPort", Integer.toString(port));
    properties.setProperty("clientPortAddress", HOST);
    // A quarter of a second: sessions may be as short as half of one.
    properties.setProperty("tickTime", "250");
    properties.setProperty("maxSessionTimeout", "60000");
    properties.setProperty("maxClientCnxns", "0");
    properties.setProperty("admin.enableServer", "false");
    properties.setProperty("forceSync", "no");
    return properties;
  }

  String address() {
    return address;
  }

  Path data() {
    return data;
  }

  /** Ends it and deletes its temporary directory. */
  void close() {
    server.close();
    delete(temporary);
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
