// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.curator.test.DirectoryUtils;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.jspecify.annotations.Nullable;

/** Servers of ZooKeeper in processes of their own, which can be killed and started again. */
final class Quorum implements AutoCloseable {
  private static final int TICK = 250;

  private final Path directory;
  private final List<Server> servers = new ArrayList<>();

  /** Where a server is, and its process. */
  private static final class Server {
    final Path home;
    final List<String> options;
    final int port;
    private @Nullable ChildJvm process;

    Server(Path home, List<String> options, int port) {
      this.home = home;
      this.options = options;
      this.port = port;
    }
  }

  /** Three servers, started and serving. */
  static Quorum ofThree() {
    Quorum quorum = new Quorum(3, Map.of(), List.of());
    IntStream.range(0, 3).forEach(quorum::start);
    IntStream.range(0, 3).forEach(quorum::awaitServing);
    return quorum;
  }

  /**
   * Servers that are not started yet.
   *
   * @param size how many
   * @param properties more lines of the configuration; {@code PORT} stands for a free port
   * @param options options of the JVMs
   */
  Quorum(int size, Map<String, String> properties, List<String> options) {
    try {
      directory = Files.createTempDirectory("quorum");
      List<Integer> ports = Stream.generate(FreePorts::find).limit(size * 3).toList();
      List<String> peers = new ArrayList<>();
      for (int i = 0; size > 1 && i < size; i++) {
        peers.add(
            "server.%d=127.0.0.1:%d:%d".formatted(i, ports.get(size + i), ports.get(2 * size + i)));
      }
      for (int i = 0; i < size; i++) {
        Path home = Files.createDirectory(directory.resolve("" + i));
        Files.writeString(home.resolve("myid"), "" + i);
        List<String> lines = new ArrayList<>(peers);
        Map<String, String> all = new TreeMap<>(defaults(home));
        all.putAll(properties);
        if (!all.containsKey("secureClientPort")) {
          all.put("clientPort", "PORT");
          all.put("clientPortAddress", "127.0.0.1");
        }
        String port = "" + ports.get(i);
        all.forEach((name, value) -> lines.add(name + "=" + value.replace("PORT", port)));
        Files.write(home.resolve("server.properties"), lines);
        servers.add(new Server(home, options, ports.get(i)));
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Map<String, String> defaults(Path home) {
    return Map.of(
        "tickTime", "" + TICK,
        "initLimit", "40",
        "syncLimit", "20",
        "maxSessionTimeout", "60000",
        "dataDir", home.toString(),
        "maxClientCnxns", "0",
        "admin.enableServer", "false",
        "4lw.commands.whitelist", "srvr");
  }

  /** How many servers there are. */
  int size() {
    return servers.size();
  }

  /** Where clients connect. */
  String connectString() {
    return servers.stream().map(each -> "127.0.0.1:" + each.port).collect(Collectors.joining(","));
  }

  /** Starts a server that does not run. */
  void start(int server) {
    Server one = servers.get(server);
    List<String> options =
        new ArrayList<>(
            List.of(
                "-Xmx96m",
                "-Dzookeeper.jmx.log4j.disable=true",
                "-Dzookeeper.preAllocSize=1024",
                // Who waits for a majority asks again soon.
                "-Dzookeeper.fastleader.maxNotificationInterval=400",
                // How often they look for containers that have become empty.
                "-Dznode.container.checkIntervalMs=500",
                // What is killed is a process, not the machine.
                "-Dzookeeper.forceSync=no"));
    options.addAll(one.options);
    File log = one.home.resolve("log").toFile();
    one.process =
        ChildJvm.start(
            QuorumPeerMain.class.getName(),
            options,
            Redirect.appendTo(log),
            List.of(one.home.resolve("server.properties").toString()));
  }

  /** Waits until a server answers, as leader or follower. */
  void awaitServing(int server) {
    Awaited.until(() -> isServing(server));
  }

  /** Whether a server answers who asks it without TLS. */
  boolean isServing(int server) {
    return isIn(server, "");
  }

  /** Whether a server leads the others. */
  boolean isLeading(int server) {
    return isIn(server, "leader");
  }

  private boolean isIn(int server, String mode) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", servers.get(server).port), 1_000);
      socket.setSoTimeout(1_000);
      socket.getOutputStream().write("srvr".getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII).contains("Mode: " + mode);
    } catch (IOException away) {
      return false;
    }
  }

  /** Stops a server; its connections stay open. */
  void stop(int server) {
    Objects.requireNonNull(servers.get(server).process).stop();
  }

  /** Lets a server go on that was stopped. */
  void resume(int server) {
    Objects.requireNonNull(servers.get(server).process).resume();
  }

  /** Ends a server as {@code kill -9} does. What it has written stays. */
  void kill(int server) {
    ChildJvm process = servers.get(server).process;
    if (process != null) {
      process.kill();
    }
  }

  @Override
  public void close() {
    IntStream.range(0, size()).forEach(this::kill);
    try {
      DirectoryUtils.deleteRecursively(directory.toFile());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
