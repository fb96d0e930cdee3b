// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import picocli.CommandLine.Option;

/** Where the groups are. */
final class WhichServers {
  @Option(
      names = "--servers",
      paramLabel = "LIST",
      defaultValue = "127.0.0.1:2181",
      description =
          "The servers of ZooKeeper, as HOST:PORT,HOST:PORT. Default: ${DEFAULT-VALUE}, where"
              + " 'ofi4j cluster serve' is.")
  private String servers = "127.0.0.1:2181";

  @Option(
      names = "--root",
      paramLabel = "PATH",
      defaultValue = "/ofi4j",
      description = "The path there below which the groups are. Default: ${DEFAULT-VALUE}.")
  private String root = "/ofi4j";

  String servers() {
    return servers;
  }

  String root() {
    return root;
  }
}
