// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.util.List;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.Terminal;

/** Runs the steps of the demonstration. */
final class Demo {
  private static final List<Step> STEPS =
      List.of(
          new Step("A vector from the peer list of a cluster, data/peers.txt", PeerListStep::run),
          new Step("A million scattered peers", MillionStep::run),
          new Step("A second JVM, not yet known, sends a datagram", FirstContactStep::run),
          new Step("Messages by handle, and who sent them", ExchangeStep::run),
          new Step("The peer removed, and inserted again", RemovalStep::run),
          new Step("Reliable messages, and a peer that is killed", ReliableStep::run),
          new Step("Two peer groups on one endpoint", GroupsStep::run),
          new Step("Two tenants with keys of their own on one endpoint", TenantsStep::run),
          new Step(
              "Two processes share one named vector, and the one that made it is killed",
              SharedVectorStep::run),
          new Step(
              "A job of three processes that meet in ZooKeeper, one of them killed", JobStep::run),
          new Step("The same messages through shared memory, by libfabric", SharedMemoryStep::run));

  /** One part of the demonstration. Steps run in order and share what they have opened. */
  private record Step(String title, Action action) {}

  @FunctionalInterface
  private interface Action {
    void run(DemoStage stage) throws IOException, InterruptedException;
  }

  private Demo() {}

  /** Runs everything, and says whether all was as it should be. */
  public static boolean run(DemoReport report, Terminal terminal) throws InterruptedException {
    long begin = System.nanoTime();
    try (DemoStage stage = new DemoStage(report, terminal)) {
      int number = 0;
      for (Step step : STEPS) {
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
  private static boolean run(Step step, DemoStage stage) throws InterruptedException {
    try {
      step.action().run(stage);
      return true;
    } catch (FabricException | IOException failure) {
      stage.report().check(false, String.valueOf(failure.getMessage()));
      return false;
    }
  }
}
