// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Stages;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;

/**
 * Runs the benchmark of groups in ZooKeeper: how soon a newcomer has all members, how soon one
 * change is in a vector and what is read for it, how soon a job has all handles.
 */
public final class ClusterBenchmark {
  private static final int PATIENCE_SECONDS = 120;

  /** How often a newcomer comes once more, and how often a job joins. */
  private static final int ROUNDS = 3;

  /** How many processes of a node have one vector. */
  private static final int NEIGHBOURS = 8;

  private static final List<String> NONE = List.of();

  /** As many JVMs as there are members have to be small. */
  private static final List<String> SMALL =
      List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  private final ClusterBenchmarkOptions options;
  private final OpenProcesses processes;
  private final FigureSink figures;
  private final String servers;

  private ClusterBenchmark(
      ClusterBenchmarkOptions options,
      OpenProcesses processes,
      FigureSink figures,
      String servers) {
    this.options = options;
    this.processes = processes;
    this.figures = figures;
    this.servers = servers;
  }

  /** Measures. The listener hears how far it is. */
  public static BenchmarkReport run(ClusterBenchmarkOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Results results = new Results();
    try (ScratchDirectory directory = new ScratchDirectory();
        OpenProcesses processes = new OpenProcesses()) {
      List<String> command = JvmCommand.onClassPath(ServerJvm.class, NONE);
      command.add(directory.path().toString());
      LineProcess server =
          processes.add(new LineProcess("the server of ZooKeeper", PATIENCE_SECONDS, command));
      ClusterBenchmark benchmark =
          new ClusterBenchmark(options, processes, results, server.answer("start"));
      Stages stages = new Stages();
      for (long size : options.sizes()) {
        stages.add(
            String.format(Locale.ROOT, "a service of %,d members", size),
            () -> benchmark.service(size));
      }
      stages.add("a job of " + options.job(), benchmark::job);
      stages.run(listener);
    }
    List<Row> rows = results.rows();
    return BenchmarkReport.since(begin, null, Topic.CLUSTER, rows, ClusterBars.of(rows));
  }

  private LineProcess start(List<String> jvmOptions) throws IOException {
    List<String> command = JvmCommand.onClassPath(ClusterJvm.class, jvmOptions);
    command.add(servers);
    return processes.start(command);
  }

  private void service(long size) throws IOException {
    String service = "service-" + size;
    int hosts = ClusterBenchmarkOptions.hosts(size);
    LineProcess publisher = start(NONE);
    publisher.tell("publish " + service + " " + hosts + " " + size);
    LineProcess watcher = start(NONE);
    watcher.tell("fill " + service + " " + size + " " + ROUNDS, figures);
    watcher.tell("watch");
    for (int change = 0; change < options.changes(); change++) {
      String name = "extra-" + change;
      watcher.tell("arm");
      publisher.tell("join " + name + " " + change);
      watcher.tell("await joined " + name, figures);
      watcher.tell("arm");
      publisher.tell("leave " + name);
      watcher.tell("await left " + name, figures);
    }
    watcher.tell("count " + 2 * options.changes(), figures);
    watcher.close();
    node(service, size);
    publisher.close();
  }

  private void node(String service, long size) throws IOException {
    String vector = "bench-" + ProcessHandle.current().pid() + "-" + service;
    List<LineProcess> neighbours = new ArrayList<>();
    for (int i = 0; i < NEIGHBOURS; i++) {
      neighbours.add(start(NONE));
    }
    for (String command : List.of("neighbour " + service + " " + size + " " + vector, "touch")) {
      neighbours.forEach(each -> each.tell(command));
    }
    double[] copies = {0};
    neighbours.forEach(each -> each.tell("share", figure -> copies[0] += figure.value()));
    figures.add(new Figure(ClusterBars.COPIES, size, Side.OFI4J, copies[0]));
    neighbours.forEach(each -> each.tell("close"));
    neighbours.forEach(LineProcess::close);
  }

  private void job() throws IOException {
    List<LineProcess> members = new ArrayList<>();
    List<String> commands = new ArrayList<>();
    long begin = System.nanoTime();
    int first = 0;
    for (int i = 0; i < options.processes(); i++) {
      int after = options.job() * (i + 1) / options.processes();
      members.add(start(SMALL));
      commands.add("connect " + (after - first) + " " + first + " " + options.job());
      first = after;
    }
    all(members, commands);
    add(ClusterBars.PROCESSES, Side.OFI4J_FIRST, begin);
    for (int round = 0; round <= ROUNDS; round++) {
      begin = System.nanoTime();
      all(members, repeated("job job-" + round));
      add(ClusterBars.JOB, round == 0 ? Side.OFI4J_FIRST : Side.OFI4J, begin);
      all(members, repeated("part"));
    }
    members.forEach(LineProcess::close);
  }

  private void add(Quantity quantity, Side side, long begin) {
    double millis = (System.nanoTime() - begin) / 1e6;
    figures.add(new Figure(quantity, options.job(), side, millis));
  }

  private List<String> repeated(String command) {
    return Collections.nCopies(options.processes(), command);
  }

  /** Has each do something at the same time. */
  private static void all(List<LineProcess> members, List<String> commands) {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).say(commands.get(i));
    }
    for (int i = 0; i < members.size(); i++) {
      members.get(i).answer(commands.get(i));
    }
  }
}
