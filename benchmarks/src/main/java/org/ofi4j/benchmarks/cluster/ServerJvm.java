// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.nio.file.Path;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.ofi4j.benchmarks.process.StandardInput;

/** A server of ZooKeeper. Says where it is, and ends with its input. */
final class ServerJvm {
  private static final int PATIENCE_MILLIS = 60_000;

  private ServerJvm() {}

  /** Serves; the argument is where to keep what is written. */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("clientPort", "0");
    properties.setProperty("clientPortAddress", "127.0.0.1");
    properties.setProperty("tickTime", "2000");
    properties.setProperty("maxSessionTimeout", "120000");
    properties.setProperty("maxClientCnxns", "0");
    // Those who publish are not measured; what is read comes from memory.
    properties.setProperty("forceSync", "no");
    properties.setProperty("admin.enableServer", "false");
    ZooKeeperServerEmbedded server =
        ZooKeeperServerEmbedded.builder()
            .baseDir(Path.of(arguments[0]))
            .configuration(properties)
            .exitHandler(ExitHandler.LOG_ONLY)
            .build();
    server.start(PATIENCE_MILLIS);
    System.out.println("ok " + server.getConnectionString());
    System.out.flush();
    var lines = StandardInput.lines();
    while (true) {
      lines.take();
    }
  }
}
