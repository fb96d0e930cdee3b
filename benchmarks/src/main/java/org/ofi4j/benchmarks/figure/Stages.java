// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of a benchmark, which run one after the other: nothing else of the run disturbs one.
 */
public final class Stages {
  /** Measures something. */
  @FunctionalInterface
  public interface Work {
    void run() throws IOException, InterruptedException;
  }

  private record Stage(String title, Work work) {}

  private final List<Stage> all = new ArrayList<>();

  /** No stages yet. */
  public Stages() {}

  /** Adds a stage; people see its title while it runs. */
  public void add(String title, Work work) {
    all.add(new Stage(title, work));
  }

  /** Runs all stages. */
  public void run(BenchmarkListener listener) throws IOException, InterruptedException {
    int done = 0;
    for (Stage stage : all) {
      listener.at(stage.title, done++, all.size());
      stage.work.run();
    }
  }
}
