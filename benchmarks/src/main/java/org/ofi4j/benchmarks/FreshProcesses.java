package org.ofi4j.benchmarks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What can only be measured in processes that have done nothing else: first calls and memory. */
final class FreshProcesses {
  private static final int FIRST_ROUNDS = 3;

  /** The heap is there from the beginning, so that it does not count. */
  private static final List<String> FIXED_HEAP =
      List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1");

  private final Results results;
  private final BenchmarkOptions options;
  private final @Nullable LibfabricProgram program;

  FreshProcesses(Results results, BenchmarkOptions options, @Nullable LibfabricProgram program) {
    this.results = results;
    this.options = options;
    this.program = program;
  }

  /** First calls of this library. */
  void firstCalls(int peers) throws IOException, InterruptedException {
    AddressPattern pattern = AddressPattern.SCATTERED;
    List<Quantity> quantities =
        List.of(
            Quantity.insert(pattern, Family.IPV4, true),
            Quantity.LOOKUP,
            Quantity.FIND,
            Quantity.REMOVE_IN_ORDER);
    for (int round = 0; round < Math.min(FIRST_ROUNDS, options.rounds()); round++) {
      Map<String, Double> figures =
          FreshJvmProcess.run(
              List.of(), List.of("first", options.time().name(), Integer.toString(peers)));
      for (Quantity quantity : quantities) {
        add(quantity, peers, Side.OFI4J_FIRST, figures);
      }
    }
  }

  /** Memory of this library. */
  void resident(int peers, AddressPattern pattern, Family family)
      throws IOException, InterruptedException {
    Map<String, Double> figures =
        FreshJvmProcess.run(
            FIXED_HEAP,
            List.of(
                "resident",
                options.time().name(),
                Integer.toString(peers),
                pattern.name(),
                family.name()));
    add(Quantity.resident(pattern, family), peers, Side.OFI4J, figures);
  }

  private void add(Quantity quantity, int peers, Side side, Map<String, Double> figures) {
    Double figure = figures.get(quantity.id());
    if (figure == null) {
      throw new IllegalStateException("a fresh JVM measured no " + quantity.title());
    }
    results.add(quantity, peers, side, figure);
  }

  /** Memory of libfabric, where there is a comparison. */
  void residentOfLibfabric(int peers, Side side) throws IOException {
    AddressPattern pattern = AddressPattern.SCATTERED;
    if (program == null) {
      return;
    }
    try (Arena arena = Arena.ofShared();
        LibfabricSubject subject = program.startApart(side, options.time())) {
      subject.load(Workload.of(arena, pattern, Family.IPV4, peers));
      long before = subject.resident();
      subject.insert(false);
      long bytes = subject.resident() - before;
      results.add(Quantity.resident(pattern, Family.IPV4), peers, side, (double) bytes / peers);
    }
  }
}
