// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.ofi4j.FabricAddress;
import org.ofi4j.cluster.ClusterOptions;

/** What clients of the run have in common, and where its members are. */
final class Client {
  static final String ROOT = "/ofi4j";

  private static final int SESSION_MILLIS = 60_000;
  private static final int RETRIES = 5;
  private static final int PAUSE_MILLIS = 200;
  private static final int FIRST_HOST = 0x0A000001;
  private static final int FIRST_PORT = 5_000;

  private Client() {}

  /** A client that is connected. */
  static CuratorFramework connected(String servers) throws InterruptedException {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            servers, SESSION_MILLIS, SESSION_MILLIS, new RetryNTimes(RETRIES, PAUSE_MILLIS));
    client.start();
    if (!client.blockUntilConnected(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("no connection to " + servers);
    }
    return client;
  }

  /** Options of a process of a host, with time enough for whatever is measured. */
  static ClusterOptions options(String host) {
    return ClusterOptions.of(host).withRoot(ROOT).withTimeout(Duration.ofMinutes(10));
  }

  /** The address of one of the endpoints of a host. */
  static FabricAddress address(int host, int endpoint) {
    return new FabricAddress.SocketAddress4(FIRST_HOST + host, FIRST_PORT + endpoint);
  }
}
