// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import org.jspecify.annotations.Nullable;
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

  @Option(
      names = "--host",
      paramLabel = "NAME",
      description =
          "The name of this host, which all its processes give and no other host's. Default: the"
              + " name that the system has.")
  private @Nullable String host;

  String servers() {
    return servers;
  }

  String root() {
    return root;
  }

  /** {@return the name of this host, or null for the name that the system has} */
  @Nullable String host() {
    return host;
  }
}
