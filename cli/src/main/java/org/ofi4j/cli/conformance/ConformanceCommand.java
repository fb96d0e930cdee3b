// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.conformance;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Hints;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.KnownWords;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.VectorSession;
import org.ofi4j.conformance.Requirement;
import org.ofi4j.conformance.RequirementCatalog;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ofi4j conformance}: runs the conformance suite on a provider. */
@Command(
    name = "conformance",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Tests a provider on this machine against the rules of fi_av(3) and prints for each rule"
            + " what is known: proven, as offered (proven as far as offered: most tests passed, the"
            + " others need what the provider lacks), failed, permission (the rule allows"
            + " something), documented (the rule is advice), not offered (the provider lacks what"
            + " most tests need), not yet (a later part of ofi4j finishes it). Exit status 0 when"
            + " nothing failed and something was proven.",
    footer = {
      "  ofi4j conformance                        every rule",
      "  ofi4j conformance -s INS,REM -v          insertion and removal, with all notes",
      "  ofi4j conformance -r AV-083 -r AV-084    two rules",
      "  ofi4j conformance --json > report.json   for a program"
    })
public final class ConformanceCommand implements Callable<Integer> {
  private final Terminal terminal;

  /** The sections that a shell offers, none without the conformance suite. */
  static final class Sections extends KnownWords {
    @Override
    protected Stream<String> words() {
      try {
        return RequirementCatalog.load().groups().stream();
      } catch (NoClassDefFoundError withoutSuite) {
        return Stream.empty();
      }
    }
  }

  /** The rules that a shell offers, none without the conformance suite. */
  static final class Rules extends KnownWords {
    @Override
    protected Stream<String> words() {
      try {
        return RequirementCatalog.load().rules().stream().map(Requirement::id);
      } catch (NoClassDefFoundError withoutSuite) {
        return Stream.empty();
      }
    }
  }

  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      description = "The provider to test. Default: for each test the first that can.")
  private @Nullable String provider;

  @Option(
      names = {"-s", "--section"},
      completionCandidates = Sections.class,
      paramLabel = "SECTION",
      split = ",",
      description = "Only rules of these sections, such as INS or REM. Repeatable.")
  private List<String> sections = List.of();

  @Option(
      names = {"-r", "--rule"},
      completionCandidates = Rules.class,
      paramLabel = "RULE",
      split = ",",
      description = "Only these rules, such as AV-083. Repeatable.")
  private List<String> rules = List.of();

  @Option(
      names = "--random",
      description =
          "With -s or -r: also run the long random sequences of calls that touch the rules. All"
              + " rules together always have them.")
  private boolean random;

  @Option(
      names = {"-v", "--verbose"},
      description = "Also say how many tests each rule has, and where else to read.")
  private boolean verbose;

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  public ConformanceCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    // Says who refuses what when there is nobody to test.
    VectorSession.best(Hints.latest().withProvider(FabricNames.provider(provider)));
    try {
      return new ConformanceRun(terminal, verbose, json)
          .run(
              FabricNames.provider(provider),
              upperCase(sections),
              upperCase(rules),
              random || (sections.isEmpty() && rules.isEmpty()));
    } catch (NoClassDefFoundError missing) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          "the conformance suite or JUnit is not on the module path ("
              + missing.getMessage()
              + "); start it with ./ofi4j conformance",
          missing);
    }
  }

  private static Set<String> upperCase(List<String> words) {
    Set<String> set = new LinkedHashSet<>();
    words.forEach(word -> set.add(word.strip().toUpperCase(Locale.ROOT)));
    return set;
  }
}
