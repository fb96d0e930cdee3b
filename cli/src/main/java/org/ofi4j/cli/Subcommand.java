// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.av.AvCommand;
import org.ofi4j.cli.av.AvStatCommand;
import org.ofi4j.cli.av.AvUnlinkCommand;
import org.ofi4j.cli.av.AvVerifyCommand;
import org.ofi4j.cli.bench.BenchCommand;
import org.ofi4j.cli.bench.ClusterBenchCommand;
import org.ofi4j.cli.cluster.ClusterCommand;
import org.ofi4j.cli.cluster.EndCommand;
import org.ofi4j.cli.cluster.JoinCommand;
import org.ofi4j.cli.cluster.ListCommand;
import org.ofi4j.cli.cluster.ServeCommand;
import org.ofi4j.cli.cluster.WatchCommand;
import org.ofi4j.cli.conformance.ConformanceCommand;
import org.ofi4j.cli.demo.DemoCommand;
import org.ofi4j.cli.demo.DemoPeerCommand;
import org.ofi4j.cli.info.InfoCommand;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.pingpong.PingpongCommand;
import picocli.CommandLine;

/** The commands, each with the line that {@code ofi4j --help} shows of it. */
enum Subcommand {
  INFO("info", "Shows what can be opened here, and why the rest cannot."),
  AV("av", "Builds an address vector from a list of peers; prints, looks up, finds, converts."),
  PINGPONG(
      "pingpong", "Measures round trips with another ofi4j pingpong or libfabric's fi_pingpong."),
  BENCH("bench", "Times address vectors and messages here, beside libfabric's."),
  DEMO("demo", "Shows the main job end to end, with a list of peers and a second JVM."),
  CLUSTER("cluster", "Shows and joins jobs and services whose members meet in ZooKeeper."),
  CONFORMANCE("conformance", "Runs the conformance suite here and prints rule by rule what holds."),
  COMPLETION("completion", "Prints a completion script for bash and zsh."),
  HELP("help", "Shows the help of a command, as its option --help does."),
  DEMO_PEER("demo-peer", null);

  private final String text;
  private final @Nullable String summary;

  Subcommand(String text, @Nullable String summary) {
    this.text = text;
    this.summary = summary;
  }

  /** The word on the command line. */
  String text() {
    return text;
  }

  /** One line about it, or null if it is not for people. */
  @Nullable String summary() {
    return summary;
  }

  /** Whether it asks providers for something, which they may not have. */
  boolean needsProvider() {
    return this != COMPLETION && this != HELP;
  }

  /** Commands of its own, by name. */
  Map<String, Object> children(Terminal terminal) {
    Map<String, Object> children = new LinkedHashMap<>();
    if (this == AV) {
      children.put("stat", new AvStatCommand(terminal));
      children.put("verify", new AvVerifyCommand(terminal));
      children.put("unlink", new AvUnlinkCommand(terminal));
    } else if (this == CLUSTER) {
      children.put("serve", new ServeCommand(terminal));
      children.put("join", new JoinCommand(terminal));
      children.put("watch", new WatchCommand(terminal));
      children.put("list", new ListCommand(terminal));
      children.put("end", new EndCommand(terminal));
      children.put("bench", new ClusterBenchCommand(terminal));
    }
    return children;
  }

  /** The words of all. */
  static List<String> all() {
    return Arrays.stream(values()).map(Subcommand::text).toList();
  }

  /**
   * Only what is asked for is created: each command drags in its own classes. {@code lines} gives
   * the command line with some commands in full.
   */
  Object create(Terminal terminal, Function<List<String>, CommandLine> lines) {
    return switch (this) {
      case INFO -> new InfoCommand(terminal);
      case AV -> new AvCommand(terminal);
      case PINGPONG -> new PingpongCommand(terminal);
      case BENCH -> new BenchCommand(terminal);
      case DEMO -> new DemoCommand(terminal);
      case CLUSTER -> new ClusterCommand(terminal);
      case CONFORMANCE -> new ConformanceCommand(terminal);
      case COMPLETION -> new CompletionCommand(terminal, () -> lines.apply(all()));
      case HELP -> new HelpCommand(terminal, lines);
      case DEMO_PEER -> new DemoPeerCommand(terminal);
    };
  }
}
