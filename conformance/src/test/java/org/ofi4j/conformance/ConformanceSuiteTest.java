// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.conformance.standin.ForwardingProvider;
import org.ofi4j.conformance.standin.Wrapping;
import org.ofi4j.spi.FabricProvider;

/** Verdicts, selection and the listener, against providers that offer nothing or break. */
class ConformanceSuiteTest {
  /** Refuses everything, with a reason. */
  private static final class Refusing implements FabricProvider {
    @Override
    public List<String> names() {
      return List.of("refusing");
    }

    @Override
    public InfoAnswer info(Hints hints) {
      return new InfoAnswer(
          List.of(), List.of(new Refusal("refusing", Errno.ENODATA, "closed today")));
    }

    @Override
    public Fabric open(FabricInfo info) {
      throw new AssertionError("nothing was offered");
    }
  }

  /** Breaks whenever it is asked. */
  private static final class Broken implements FabricProvider {
    @Override
    public List<String> names() {
      return List.of("broken");
    }

    @Override
    public InfoAnswer info(Hints hints) {
      throw new IllegalStateException("broken");
    }

    @Override
    public Fabric open(FabricInfo info) {
      throw new IllegalStateException("broken");
    }
  }

  /** The built-in provider, except that it cannot tell unknown sources. */
  private static final class WithoutSourceErrors extends ForwardingProvider {
    WithoutSourceErrors() {
      super(Fabrics.providers().getFirst(), new Wrapping());
    }

    @Override
    public InfoAnswer info(Hints hints) {
      return (hints.capabilities() & Capability.SOURCE_ERR.mask()) == 0
          ? super.info(hints)
          : new InfoAnswer(
              List.of(), List.of(new Refusal("partial", Errno.ENODATA, "no source errors")));
    }
  }

  /** The built-in provider, except that all it has is IPv4, whatever format is asked for. */
  private static final class OfIpv4Alone extends ForwardingProvider {
    OfIpv4Alone() {
      super(Fabrics.providers().getFirst(), new Wrapping());
    }

    @Override
    public InfoAnswer info(Hints hints) {
      return super.info(hints.withAddressFormat(AddressFormat.SOCKADDR_IN));
    }
  }

  private static ConformanceReport run(FabricProvider provider, String... groups) {
    return ConformanceSuite.run(
        ConformanceOptions.defaults().withProviders(List.of(provider)).withGroups(Set.of(groups)),
        ConformanceListener.NONE);
  }

  @Test
  void whatIsRefusedIsNotOffered() {
    ConformanceReport report = run(new Refusing(), "CNT", "RXB");

    assertThat(report.results())
        .filteredOn(result -> result.rule().isFinished())
        .isNotEmpty()
        .allSatisfy(result -> {
          assertThat(result.verdict()).isEqualTo(Verdict.NOT_OFFERED);
          assertThat(result.notes()).contains("closed today");
        });
    assertThat(report.isSuccess()).isFalse();
  }

  /** Some tests of the rule pass without the capability; they are not all that there is to it. */
  @Test
  void ruleWhoseTestsDidNotAllRunIsNotProven() {
    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults()
                .withProviders(List.of(new WithoutSourceErrors()))
                .withIds(Set.of("AV-216")),
            ConformanceListener.NONE);

    RuleResult result = report.results().getFirst();
    assertThat(result.verdict()).isEqualTo(Verdict.NOT_OFFERED);
    assertThat(result.passed()).isPositive();
    assertThat(result.notes())
        .startsWith(result.passed() + " of ")
        .contains("tests passed")
        .contains("no source errors");
    assertThat(report.isSuccess()).isFalse();
  }

  private static RuleResult judge(String provider, String rule, boolean random) {
    return ConformanceSuite.run(
            ConformanceOptions.defaults()
                .withProvider(provider)
                .withIds(Set.of(rule))
                .withRandomTests(random),
            ConformanceListener.NONE)
        .results()
        .getFirst();
  }

  @Test
  void ruleWhoseTestsMostlyPassedIsProvenAsFarAsOffered() {
    RuleResult result = judge("udp", "AV-193", false);

    assertThat(result.verdict()).isEqualTo(Verdict.PROVEN_AS_FAR_AS_OFFERED);
    assertThat(result.notes())
        .matches("proven as far as offered: " + result.passed() + " of \\d+ tests passed; .*")
        .contains("not offered: udp: ");
    assertThat(new ConformanceReport("udp", List.of(result), 1, Duration.ZERO).isSuccess())
        .isTrue();
  }

  /** Random sequences run with all rules only, and some are about datagrams. */
  @Test
  void verdictDoesNotDependOnRandomSequences() {
    RuleResult without = judge("tcp", "AV-103", false);
    RuleResult with = judge("tcp", "AV-103", true);

    assertThat(without.verdict()).isEqualTo(Verdict.PROVEN);
    assertThat(with.verdict()).as(with.notes()).isEqualTo(Verdict.PROVEN);
    assertThat(judge("udp", "AV-187", true).notes())
        .isEqualTo(judge("udp", "AV-187", false).notes());
  }

  /** Fabrics have one address format or a few: those they have not are nothing against a rule. */
  @Test
  void aRuleIsProvenWithTheFormatsThatThereAre() {
    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults()
                .withProviders(List.of(new OfIpv4Alone()))
                .withIds(Set.of("AV-021", "AV-078"))
                .withRandomTests(false),
            ConformanceListener.NONE);

    RuleResult anyFormat = report.results().getFirst();
    assertThat(anyFormat.verdict()).as(anyFormat.notes()).isEqualTo(Verdict.PROVEN);
    RuleResult texts = report.results().getLast();
    assertThat(texts.verdict()).isEqualTo(Verdict.NOT_OFFERED);
    assertThat(texts.notes()).contains("not offered: address format STR: ", " has SOCKADDR_IN");
  }

  /** A test of a permission holds whatever the provider chose. */
  @Test
  void testsOfPermissionsAreNoProofs() {
    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults().withIds(Set.of("AV-061", "AV-063", "AV-182")),
            ConformanceListener.NONE);

    assertThat(report.tests()).isPositive();
    assertThat(report.results()).extracting(RuleResult::verdict).containsOnly(Verdict.PERMISSION);
    assertThat(report.isSuccess()).isFalse();
  }

  @Test
  void brokenProviderFails() {
    ConformanceReport report = run(new Broken(), "CNT", "RXB");

    assertThat(report.with(Verdict.FAILED)).hasSameSizeAs(report.results());
    assertThat(report.results().getFirst().failures().getFirst().message()).contains("broken");
    assertThat(report.isSuccess()).isFalse();
  }

  @Test
  void permissionsNeedNoProvider() {
    ConformanceReport report = run(new Refusing(), "NAME", "MAPA", "EPN");

    assertThat(report.counts())
        .containsEntry(Verdict.PERMISSION, 2L)
        .containsEntry(Verdict.NOT_OFFERED, 9L)
        .containsEntry(Verdict.NOT_YET, 0L)
        .containsEntry(Verdict.PROVEN, 0L);
    assertThat(report.with(Verdict.PERMISSION))
        .allSatisfy(result -> assertThat(result.notes()).isNotEmpty());
  }

  @Test
  void listenerSeesEveryMethodOnce() {
    List<String> seen = new ArrayList<>();
    int[] announced = new int[1];
    ConformanceSuite.run(
        ConformanceOptions.defaults()
            .withProviders(List.of(new Refusing()))
            .withIds(Set.of("AV-035")),
        new ConformanceListener() {
          @Override
          public void started(int methods) {
            announced[0] = methods;
          }

          @Override
          public void finished(String test, boolean passed, int done, int methods) {
            assertThat(done).isEqualTo(seen.size() + 1);
            assertThat(methods).isEqualTo(announced[0]);
            seen.add(test);
          }
        });

    assertThat(seen).hasSize(announced[0]).doesNotHaveDuplicates().isNotEmpty();
  }

  @Test
  void nobodyToTestIsAnError() {
    ConformanceOptions nobody = ConformanceOptions.defaults().withProviders(List.of());
    ConformanceOptions unknown =
        nobody.withProviders(List.of(new Refusing())).withProvider("other");

    assertThatThrownBy(() -> ConformanceSuite.run(nobody, ConformanceListener.NONE))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("no provider is installed");
    assertThatThrownBy(() -> ConformanceSuite.run(unknown, ConformanceListener.NONE))
        .hasMessageContaining("other")
        .hasMessageContaining("refusing");
  }
}
