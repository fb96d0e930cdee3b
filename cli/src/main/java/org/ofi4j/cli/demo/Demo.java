// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.util.List;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.Terminal;

/** Runs the steps of the demonstration. */
final class Demo {
  private static final List<DemoStep> STEPS =
      List.of(
          new PeerListStep(),
          new MillionStep(),
          new FirstContactStep(),
          new ExchangeStep(),
          new RemovalStep(),
          new ReliableStep(),
          new GroupsStep(),
          new TenantsStep(),
          new SharedVectorStep());

  private Demo() {}

  /** Runs everything, and says whether all was as it should be. */
  public static boolean run(DemoReport report, Terminal terminal) throws InterruptedException {
    long begin = System.nanoTime();
    try (DemoStage stage = new DemoStage(report, terminal)) {
      int number = 0;
      for (DemoStep step : STEPS) {
        report.begin(++number, step.title());
        boolean goesOn = run(step, stage);
        report.endStep();
        if (!goesOn) {
          break;
        }
      }
    }
    report.end(System.nanoTime() - begin);
    return report.failed() == 0;
  }

  /** A step that breaks off is a check that does not hold; those after it would make no sense. */
  private static boolean run(DemoStep step, DemoStage stage) throws InterruptedException {
    try {
      step.run(stage);
      return true;
    } catch (FabricException | IOException failure) {
      stage.report().check(false, String.valueOf(failure.getMessage()));
      return false;
    }
  }
}
