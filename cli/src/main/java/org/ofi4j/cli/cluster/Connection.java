// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.client.ConnectStringParser;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.ClusterOptions;

/** A client of ZooKeeper that is connected, and the cluster behind it. */
final class Connection implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 5;
  private static final int FIRST_PAUSE_MILLIS = 100;
  private static final int RETRIES = 5;

  private final CuratorFramework client;
  private final Cluster cluster;
  private final String host;

  private Connection(CuratorFramework client, Cluster cluster, String host) {
    this.client = client;
    this.cluster = cluster;
    this.host = host;
  }

  /**
   * Connects.
   *
   * @param session how soon the servers take a process for dead that they do not hear of
   * @throws CommandException if no server answers
   */
  static Connection open(WhichServers where, Duration session) {
    ClusterOptions options = options(where);
    CuratorFramework client = client(where.servers(), session);
    client.start();
    try {
      if (!client.blockUntilConnected(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new CommandException(
            ExitCode.UNAVAILABLE,
            "no server of ZooKeeper answers at %s within %s s; start one with 'ofi4j cluster serve',"
                    .formatted(where.servers(), PATIENCE_SECONDS)
                + " or name others with --servers");
      }
      return new Connection(client, Cluster.of(client, options), options.host());
    } catch (InterruptedException interrupted) {
      client.close();
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILED, "interrupted", interrupted);
    } catch (RuntimeException failure) {
      client.close();
      throw failure;
    }
  }

  private static ClusterOptions options(WhichServers where) {
    String host = where.host();
    ClusterOptions options;
    try {
      options = host == null ? ClusterOptions.defaults() : ClusterOptions.of(host);
    } catch (FabricException wrong) {
      throw asUsage(wrong);
    }
    try {
      return options.withRoot(where.root());
    } catch (FabricException wrong) {
      throw new CommandException(
          ExitCode.USAGE, "--root \"" + where.root() + "\": give a path such as /ofi4j", wrong);
    }
  }

  private static CuratorFramework client(String servers, Duration session) {
    try {
      var _ = new ConnectStringParser(servers);
      return CuratorFrameworkFactory.newClient(
          servers,
          (int) session.toMillis(),
          (int) Math.min(session.toMillis(), Duration.ofSeconds(PATIENCE_SECONDS).toMillis()),
          new ExponentialBackoffRetry(FIRST_PAUSE_MILLIS, RETRIES));
    } catch (IllegalArgumentException wrong) {
      throw new CommandException(
          ExitCode.USAGE,
          "--servers \"" + servers + "\": give HOST:PORT, or several with commas between them",
          wrong);
    }
  }

  Cluster cluster() {
    return cluster;
  }

  /** {@return the name of this host in the cluster} */
  String host() {
    return host;
  }

  /** Refuses a name that cannot be one of a group, as a mistake on the command line. */
  static RuntimeException asUsage(FabricException failure) {
    return failure.errno() == Errno.EINVAL
        ? new CommandException(ExitCode.USAGE, String.valueOf(failure.getMessage()), failure)
        : failure;
  }

  @Override
  public void close() {
    if (!client.getZookeeperClient().isConnected()) {
      // Nobody to take leave of: the members go with the session.
      client.close();
    }
    cluster.close();
    client.close();
  }
}
