// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.ofi4j.conformance.RuleResult.TestFailure;
import org.ofi4j.conformance.harness.VariantNotOffered;
import org.opentest4j.TestAbortedException;

/** Gathers what became of each test and turns it into verdicts. */
final class ResultCollector implements TestExecutionListener {
  /** What became of one test method, all variants together. */
  private static final class Outcome {
    private final RuleTestMethod method;
    private int passed;
    private final List<TestFailure> failures = new ArrayList<>();
    private final List<String> aborted = new ArrayList<>();

    /** Those that wanted a version, address format or endpoint type that the provider has not. */
    private final List<String> otherVariants = new ArrayList<>();

    private Outcome(RuleTestMethod method) {
      this.method = method;
    }

    /** Whether nothing was heard of it. */
    private boolean isSilent() {
      return passed == 0 && failures.isEmpty() && aborted.isEmpty() && otherVariants.isEmpty();
    }

    /** What keeps it from proving anything: of such a variant, only if none passed. */
    private List<String> obstacles() {
      return aborted.isEmpty() && passed == 0 ? otherVariants : aborted;
    }
  }

  private final List<Outcome> outcomes;
  private final ConformanceListener listener;
  private long tests;
  private int done;

  ResultCollector(List<RuleTestMethod> methods, ConformanceListener listener) {
    outcomes = methods.stream().map(Outcome::new).toList();
    this.listener = listener;
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    outcomes(test).forEach(outcome -> outcome.aborted.add(reason));
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      tests++;
    }
    for (Outcome outcome : outcomes(test)) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> {
          if (test.isTest()) {
            outcome.passed++;
          }
        }
        case ABORTED ->
            (result.getThrowable().orElse(null) instanceof VariantNotOffered
                    ? outcome.otherVariants
                    : outcome.aborted)
                .add(message(result));
        case FAILED ->
            outcome.failures.add(new TestFailure(name(outcome.method, test), message(result)));
      }
      if (isWholeMethod(test)) {
        listener.finished(
            outcome.method.name(), outcome.failures.isEmpty(), ++done, outcomes.size());
      }
    }
  }

  /** Those of the methods that a test, or a container that failed as a whole, stands for. */
  private List<Outcome> outcomes(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    return outcomes.stream()
        .filter(outcome ->
            switch (source) {
              case MethodSource of -> outcome.method.method().equals(of.getJavaMethod());
              case ClassSource of -> outcome.method.type().equals(of.getJavaClass());
              case null, default -> false;
            })
        .toList();
  }

  /** A plain test, or the template around the variants; not one variant. */
  private static boolean isWholeMethod(TestIdentifier test) {
    return test.getSource().orElse(null) instanceof MethodSource
        && test.getParentIdObject()
            .map(parent -> parent.getLastSegment().getType().equals("class"))
            .orElse(false);
  }

  private static String name(RuleTestMethod method, TestIdentifier test) {
    return isWholeMethod(test) ? method.name() : method.name() + " [" + test.getDisplayName() + "]";
  }

  private static String message(TestExecutionResult result) {
    Throwable thrown = result.getThrowable().orElse(null);
    if (thrown == null) {
      return result.getStatus().toString();
    }
    String message = thrown.getMessage();
    return (thrown instanceof AssertionError || thrown instanceof TestAbortedException)
            && message != null
        ? message.strip()
        : thrown.getClass().getSimpleName() + ": " + message;
  }

  ConformanceReport report(RequirementCatalog catalog, ConformanceOptions options, long nanos) {
    List<RuleResult> results =
        catalog.rules().stream().filter(options::selects).map(this::judge).toList();
    String provider = options.provider();
    return new ConformanceReport(
        provider == null ? "any" : provider, results, tests, Duration.ofNanos(nanos));
  }

  /**
   * The results of the tests of a rule, without random sequences. Random sequences can only refute
   * a rule: the options decide whether they run, which must not change the verdict.
   *
   * @param passed how many tests passed
   * @param silent how many test methods did not report
   * @param obstacles what kept others from running, a message each
   */
  private record Evidence(int passed, int silent, List<String> obstacles) {
    static Evidence of(List<Outcome> outcomes) {
      List<Outcome> lasting =
          outcomes.stream().filter(outcome -> !outcome.method.isRandom()).toList();
      return new Evidence(
          lasting.stream().mapToInt(outcome -> outcome.passed).sum(),
          (int) lasting.stream().filter(Outcome::isSilent).count(),
          lasting.stream().flatMap(outcome -> outcome.obstacles().stream()).toList());
    }

    /** Whether most tests ran and passed, all others were not offered, and all have reported. */
    private boolean isMostly() {
      return silent == 0 && passed > obstacles.size();
    }

    private String counts() {
      return passed + " of " + (passed + obstacles.size()) + " tests passed; ";
    }
  }

  private RuleResult judge(Requirement rule) {
    List<Outcome> own =
        outcomes.stream().filter(outcome -> outcome.method.ids().contains(rule.id())).toList();
    List<TestFailure> failures =
        own.stream().flatMap(outcome -> outcome.failures.stream()).toList();
    Evidence evidence = Evidence.of(own);
    Verdict verdict = failures.isEmpty() ? verdict(rule, evidence) : Verdict.FAILED;
    int passed = own.stream().mapToInt(outcome -> outcome.passed).sum();
    return new RuleResult(rule, verdict, passed, failures, notes(rule, verdict, evidence));
  }

  /** A rule is proven by all its tests together; one that did not run proves nothing. */
  private static Verdict verdict(Requirement rule, Evidence evidence) {
    return switch (rule.kind()) {
      case PERMISSION -> Verdict.PERMISSION;
      case DOCUMENTED -> Verdict.DOCUMENTED;
      case TEST -> {
        if (!rule.isFinished()) {
          yield Verdict.NOT_YET;
        }
        if (!evidence.obstacles.isEmpty()) {
          yield evidence.isMostly() ? Verdict.PROVEN_AS_FAR_AS_OFFERED : Verdict.NOT_OFFERED;
        }
        yield evidence.passed > 0 && evidence.silent == 0 ? Verdict.PROVEN : Verdict.NOT_RUN;
      }
    };
  }

  private static String notes(Requirement rule, Verdict verdict, Evidence evidence) {
    return switch (verdict) {
      case PERMISSION, DOCUMENTED -> rule.pointer();
      case NOT_YET -> {
        String waits = "waits for " + rule.topic();
        yield evidence.passed > 0 ? waits + ", part proven" : waits;
      }
      case PROVEN_AS_FAR_AS_OFFERED ->
          "proven as far as offered: " + evidence.counts() + evidence.obstacles.getFirst();
      case NOT_OFFERED ->
          (evidence.passed > 0 ? evidence.counts() : "") + evidence.obstacles.getFirst();
      case NOT_RUN ->
          evidence.silent == 0
              ? "there is no test"
              : evidence.silent + " of its test methods did not run";
      case PROVEN, FAILED -> "";
    };
  }
}
