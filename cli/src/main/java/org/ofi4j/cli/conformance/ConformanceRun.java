// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.conformance;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.InstalledProviders;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Progress;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.conformance.ConformanceListener;
import org.ofi4j.conformance.ConformanceOptions;
import org.ofi4j.conformance.ConformanceReport;
import org.ofi4j.conformance.ConformanceSuite;
import org.ofi4j.conformance.RuleResult;
import org.ofi4j.conformance.RuleResult.TestFailure;
import org.ofi4j.conformance.Verdict;
import tools.jackson.core.JsonGenerator;

/** Runs the suite and prints its report. Apart from the command, which works without the suite. */
record ConformanceRun(Terminal terminal, boolean verbose, boolean json) {
  int run(@Nullable String provider, Set<String> sections, Set<String> rules, boolean random) {
    ConformanceOptions options =
        ConformanceOptions.defaults()
            .withProvider(provider)
            .withProviders(InstalledProviders.of(provider))
            .withGroups(sections)
            .withIds(rules)
            .withRandomTests(random);
    ConformanceReport report;
    try (Bar bar = new Bar()) {
      report = ConformanceSuite.run(options, bar);
    }
    if (report.results().isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE,
          rules.isEmpty()
              ? "there is no section " + listed(sections)
              : sections.isEmpty()
                  ? "there is no rule " + listed(rules)
                  : "there is no rule " + listed(rules) + " in section " + listed(sections));
    }
    if (json) {
      json(report, random);
    } else {
      text(report, random);
    }
    return report.isSuccess() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static String listed(Set<String> words) {
    return String.join(" or ", words);
  }

  private void text(ConformanceReport report, boolean random) {
    PrintWriter out = terminal.out();
    Map<String, List<RuleResult>> bySection =
        report.results().stream()
            .collect(
                Collectors.groupingBy(
                    result -> result.rule().group(), LinkedHashMap::new, Collectors.toList()));
    bySection.forEach((section, results) -> {
      long proven = results.stream().filter(each -> each.verdict() == Verdict.PROVEN).count();
      out.println(
          terminal.bold(section)
              + terminal.dim(
                  Numbers.format(
                      "  %d of %s proven", proven, Numbers.count(results.size(), "rule"))));
      results.forEach(this::rule);
      out.println();
    });
    String counts =
        report.counts().entrySet().stream()
            .filter(entry -> entry.getValue() > 0 || entry.getKey() == Verdict.FAILED)
            .map(entry -> coloured(entry.getKey(), entry.getValue() + " " + words(entry.getKey())))
            .collect(Collectors.joining(", "));
    out.println(
        Numbers.format(
            "provider %s: %s: %s; %s in %.1f s%s",
            report.provider(),
            Numbers.count(report.results().size(), "rule"),
            counts,
            Numbers.count(report.tests(), "test"),
            report.elapsed().toMillis() / 1e3,
            random ? "" : ", random sequences left out"));
  }

  private void rule(RuleResult result) {
    PrintWriter out = terminal.out();
    out.println(
        "  %s %s  %s"
            .formatted(
                coloured(result.verdict(), Numbers.format("%-11s", label(result.verdict()))),
                result.rule().id(),
                result.rule().title()));
    for (TestFailure failure : result.failures()) {
      out.println("      " + terminal.bad(failure.test()));
      failure.message().lines().forEach(line -> out.println("        " + line));
    }
    boolean explains = result.verdict() != Verdict.PROVEN && result.verdict() != Verdict.FAILED;
    if (!result.notes().isEmpty() && (verbose || explains)) {
      out.println("      " + terminal.dim(result.notes()));
    }
    if (verbose && result.passed() > 0) {
      out.println("      " + terminal.dim(Numbers.count(result.passed(), "test") + " passed"));
    }
  }

  private String coloured(Verdict verdict, String text) {
    return switch (verdict) {
      case PROVEN -> terminal.good(text);
      case FAILED -> text.startsWith("0 ") ? text : terminal.bad(text);
      case NOT_YET, NOT_OFFERED, PROVEN_AS_FAR_AS_OFFERED -> terminal.notable(text);
      case PERMISSION, DOCUMENTED, NOT_RUN -> terminal.dim(text);
    };
  }

  private static String words(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The words for the column of verdicts; the notes below the rule have all of them. */
  private static String label(Verdict verdict) {
    return verdict == Verdict.PROVEN_AS_FAR_AS_OFFERED ? "as offered" : words(verdict);
  }

  private void json(ConformanceReport report, boolean random) {
    try (JsonGenerator document = new JsonDocument(terminal.out())) {
      document
          .writeStartObject()
          .writeStringProperty("provider", report.provider())
          .writeBooleanProperty("randomTests", random)
          .writeNumberProperty("tests", report.tests())
          .writeNumberProperty("seconds", report.elapsed().toMillis() / 1e3)
          .writeObjectPropertyStart("counts");
      report
          .counts()
          .forEach((verdict, count) -> document.writeNumberProperty(words(verdict), (long) count));
      document.writeEndObject().writeArrayPropertyStart("rules");
      for (RuleResult result : report.results()) {
        document
            .writeStartObject()
            .writeStringProperty("id", result.rule().id())
            .writeStringProperty("section", result.rule().group())
            .writeStringProperty("title", result.rule().title())
            .writeStringProperty("verdict", words(result.verdict()))
            .writeNumberProperty("passed", result.passed())
            .writeStringProperty("notes", result.notes())
            .writeArrayPropertyStart("failures");
        for (TestFailure failure : result.failures()) {
          document
              .writeStartObject()
              .writeStringProperty("test", failure.test())
              .writeStringProperty("message", failure.message())
              .writeEndObject();
        }
        document.writeEndArray().writeEndObject();
      }
    }
  }

  /** Shows how far the run is. */
  private final class Bar implements ConformanceListener, AutoCloseable {
    private @Nullable Progress progress;

    @Override
    public void started(int methods) {
      progress = new Progress(terminal, "testing", "tests", methods);
    }

    @Override
    public void finished(String test, boolean passed, int done, int methods) {
      if (progress != null) {
        progress.at(done);
      }
    }

    @Override
    public void close() {
      if (progress != null) {
        progress.close();
      }
    }
  }
}
