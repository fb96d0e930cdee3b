// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.Holding;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cluster.GroupView;
import org.ofi4j.cluster.MemberListener;

/** Looks at a group until it is interrupted. */
record WatchRun(Terminal terminal, boolean json) {
  private static final Duration SESSION = Duration.ofSeconds(10);

  void run(WhichServers where, String group) {
    CountDownLatch enough = new CountDownLatch(1);
    Connection connection = Connection.open(where, SESSION);
    try (Holding holding = Holding.open(connection::close)) {
      if (json || !terminal.outIsTerminal()) {
        look(connection, group, new EventLines(terminal, json, enough));
      } else {
        LiveTable table = new LiveTable(terminal);
        table.begin(look(connection, group, table));
      }
      holding.await(enough);
    } catch (FabricException failure) {
      throw Connection.asUsage(failure);
    }
  }

  private static GroupView look(Connection connection, String group, MemberListener listener) {
    return connection.cluster().view(group, listener);
  }
}
