// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.Holding;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cluster.GroupView;
import org.ofi4j.cluster.MemberListener;

/** Looks at a group, once it is there, until it is interrupted. */
record WatchRun(Terminal terminal, boolean json) {
  private static final Duration SESSION = Duration.ofSeconds(10);

  /** How often a group is looked for that is not there. */
  private static final Duration PAUSE = Duration.ofMillis(200);

  void run(WhichServers where, String group) {
    CountDownLatch enough = new CountDownLatch(1);
    Connection connection = Connection.open(where, SESSION);
    try (Holding holding = Holding.open(connection::close)) {
      if (json || !terminal.outIsTerminal()) {
        var _ = look(connection, group, new EventLines(terminal, json, enough));
      } else {
        LiveTable table = new LiveTable(terminal);
        table.begin(look(connection, group, table));
      }
      holding.await(enough);
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } catch (FabricException failure) {
      throw Connection.asUsage(failure);
    }
  }

  private GroupView look(Connection connection, String group, MemberListener listener)
      throws InterruptedException {
    boolean isAnnounced = false;
    while (true) {
      try {
        return connection.cluster().view(group, listener);
      } catch (FabricException failure) {
        if (failure.errno() != Errno.ENOENT) {
          throw failure;
        }
      }
      if (!isAnnounced) {
        isAnnounced = true;
        terminal.err().println("waiting for group " + group + ", which has no member yet");
        terminal.err().flush();
      }
      Thread.sleep(PAUSE);
    }
  }
}
