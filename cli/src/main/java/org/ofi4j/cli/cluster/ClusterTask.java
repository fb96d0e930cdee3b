// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;

/** A command that needs the cluster module and ZooKeeper, and says so where they are missing. */
abstract class ClusterTask implements Callable<Integer> {
  @Override
  public final Integer call() throws IOException {
    try {
      run();
      return ExitCode.OK;
    } catch (NoClassDefFoundError missing) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          "the cluster module or ZooKeeper is not on the class path ("
              + missing.getMessage()
              + "); start it with ./ofi4j cluster",
          missing);
    }
  }

  abstract void run() throws IOException;
}
