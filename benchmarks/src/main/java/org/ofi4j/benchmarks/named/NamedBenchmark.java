// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Stages;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;

/**
 * Runs the benchmark of vectors that processes share: what opening them takes, what each process
 * costs, what lookups and insertions cost beside those of a private vector. Every process is a JVM
 * of its own; their files are in directories of the run.
 */
public final class NamedBenchmark {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** Bytes of a vector for each scattered peer, generously. */
  private static final long BYTES_FOR_A_PEER = 16;

  private NamedBenchmark() {}

  /** Measures. The listener hears how far it is. */
  public static BenchmarkReport run(NamedOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Results results = new Results();
    try (ScratchDirectory shared = new ScratchDirectory(sharedMemory());
        ScratchDirectory saved = new ScratchDirectory();
        OpenProcesses processes = new OpenProcesses()) {
      Stages stages = new Stages();
      NamedRun run = new NamedRun(options, stages, results, processes, shared.path(), saved.path());
      new OpeningStages(run).addAll();
      new SharingStages(run).addAll();
      stages.run(listener);
    }
    List<Row> rows = results.rows();
    return BenchmarkReport.since(begin, null, Topic.NAMED_VECTORS, rows, NamedBars.of(rows));
  }

  /**
   * For how many peers there is room where named vectors are. Half of it counts: others need some,
   * and each part of the run has a vector.
   */
  public static long mostPeers() {
    return sharedMemory().toFile().getUsableSpace() / 2 / BYTES_FOR_A_PEER;
  }

  private static Path sharedMemory() {
    return Files.isWritable(SHARED_MEMORY)
        ? SHARED_MEMORY
        : Path.of(System.getProperty("java.io.tmpdir"));
  }
}
