// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.DirectoryUtils;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;

/** A server of ZooKeeper in this JVM, and clients that stand for processes. */
final class TestTree implements AutoCloseable {
  /**
   * The time-out of a session that is to end soon when its client is gone, and not because the
   * machine is busy.
   */
  static final int SHORT_SESSION = 4_000;

  /** Long enough for a server to start again meanwhile, and for a machine that is busy. */
  private static final int LONG_SESSION = 30_000;

  private static final int TICK = 100;

  /** The session's time-out of the clients that come. */
  int session = LONG_SESSION;

  final TestingServer server;

  /** The server writes its configuration beside its data, and does not delete it. */
  private final Path directory;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  TestTree() {
    // How often the server looks for containers that have become empty.
    System.setProperty("znode.container.checkIntervalMs", "500");
    try {
      directory = Files.createTempDirectory("zookeeper");
      Map<String, Object> properties = Map.of("maxSessionTimeout", Integer.toString(LONG_SESSION));
      InstanceSpec spec =
          new InstanceSpec(
              directory.resolve("data").toFile(),
              FreePorts.find(),
              -1,
              -1,
              false,
              -1,
              TICK,
              -1,
              properties);
      server = new TestingServer(spec, true);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }

  /** A process: a client of its own, and a cluster. */
  record Process(CuratorFramework client, Cluster cluster) {
    Service service() {
      return cluster.service("service");
    }

    /** Dies: the server ends its session, and it does nothing any more. */
    void die() {
      client.close();
    }

    /** The server ends its session, and it goes on with another. */
    void loseSession() {
      try {
        ZooKeeper session = client.getZookeeperClient().getZooKeeper();
        String server = client.getZookeeperClient().getCurrentConnectionString();
        ZooKeeper twin =
            new ZooKeeper(
                server,
                LONG_SESSION,
                event -> {},
                session.getSessionId(),
                session.getSessionPasswd());
        twin.exists("/", false);
        twin.close();
      } catch (Exception failure) {
        throw new AssertionError(failure);
      }
    }
  }

  /** A client, started and connected. */
  CuratorFramework client() {
    return client(CuratorFrameworkFactory.builder());
  }

  private CuratorFramework client(CuratorFrameworkFactory.Builder builder) {
    return client(builder, server.getConnectString());
  }

  private CuratorFramework client(CuratorFrameworkFactory.Builder builder, String servers) {
    CuratorFramework client =
        builder
            .connectString(servers)
            .sessionTimeoutMs(session)
            .connectionTimeoutMs(5_000)
            .retryPolicy(new RetryNTimes(50, 100))
            .build();
    client.start();
    open.push(client);
    return client;
  }

  Process process(String host) {
    return process(host, CuratorFrameworkFactory.builder());
  }

  /** A process that reaches the server over a link of its own. */
  Process process(String host, Link link) {
    return process(host, client(CuratorFrameworkFactory.builder(), link.connectString()));
  }

  /** A process whose client has something more, such as rights. */
  Process process(String host, CuratorFrameworkFactory.Builder builder) {
    return process(host, client(builder));
  }

  private static Process process(String host, CuratorFramework client) {
    Cluster cluster =
        Cluster.of(client, ClusterOptions.of(host).withTimeout(Duration.ofSeconds(20)));
    return new Process(client, cluster);
  }

  /** Closed with the tree, before the clients that were there already. */
  <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception failure) {
        throw new AssertionError(failure);
      }
    }
    try {
      server.close();
      DirectoryUtils.deleteRecursively(directory.toFile());
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }
}
