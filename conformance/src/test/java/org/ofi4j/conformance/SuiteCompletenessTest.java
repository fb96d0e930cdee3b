// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.rules.RuleTests;

/** Nothing in the suite gets lost: every class is run, every test proves rules that exist. */
class SuiteCompletenessTest {
  @Test
  void allTestClassesAreListed() throws IOException, URISyntaxException, ClassNotFoundException {
    URI classes = RuleTests.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path rules = Path.of(classes).resolve("org/ofi4j/conformance/rules");
    List<Class<?>> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(rules)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".class")) {
          Class<?> type =
              Class.forName("org.ofi4j.conformance.rules." + name.substring(0, name.length() - 6));
          if (Arrays.stream(type.getDeclaredMethods()).anyMatch(SuiteCompletenessTest::isTest)) {
            found.add(type);
          }
        }
      }
    }
    assertThat(RuleTests.classes()).containsExactlyInAnyOrderElementsOf(found);
  }

  @Test
  void everyTestClassHasDeadlines() {
    assertThat(RuleTests.classes())
        .allSatisfy(type -> assertThat(type).hasAnnotation(ConformanceTest.class));
  }

  @Test
  void everyTestProvesRulesThatExist() {
    RequirementCatalog catalog = RequirementCatalog.load();
    for (Class<?> type : RuleTests.classes()) {
      for (Method method : type.getDeclaredMethods()) {
        Proves proves = method.getAnnotation(Proves.class);
        assertThat(isTest(method)).as("%s both runs and proves", method).isEqualTo(proves != null);
        if (proves != null) {
          assertThat(proves.value().length > 0)
              .as("%s proves rules, or parts of rules", method)
              .isNotEqualTo(proves.partly().length > 0);
          assertThat(Stream.of(proves.value(), proves.partly()).flatMap(Arrays::stream))
              .as("rules of %s", method)
              .allSatisfy(id -> assertThat(catalog.rule(id)).as(id).isNotNull());
        }
      }
    }
  }

  @Test
  void everyRuleThatIsDueHasTest() {
    Set<String> proven =
        RuleTestMethod.all().stream()
            .flatMap(method -> method.ids().stream())
            .collect(Collectors.toSet());

    assertThat(RequirementCatalog.load().rules())
        .filteredOn(Requirement::needsTest)
        .filteredOn(rule -> !proven.contains(rule.id()))
        .extracting(Requirement::id)
        .as("rules that are due and have no test")
        .isEmpty();
  }

  @Test
  void finishedRulesAreProvenWholly() {
    Set<String> wholly =
        RuleTestMethod.all().stream()
            .filter(method -> !method.partial() && !method.isRandom())
            .flatMap(method -> method.ids().stream())
            .collect(Collectors.toSet());

    assertThat(RequirementCatalog.load().rules())
        .filteredOn(rule -> rule.kind() == Requirement.Kind.TEST && rule.isFinished())
        .filteredOn(rule -> !wholly.contains(rule.id()))
        .extracting(Requirement::id)
        .as("finished rules with nothing but partial tests")
        .isEmpty();
  }

  /** Test annotations carry JUnit's {@code @Testable}, directly or through others. */
  private static boolean isTest(Method method) {
    return Arrays.stream(method.getAnnotations())
        .map(Annotation::annotationType)
        .anyMatch(SuiteCompletenessTest::isTestable);
  }

  private static boolean isTestable(Class<? extends Annotation> annotation) {
    return Stream.concat(
            Stream.of(annotation),
            Arrays.stream(annotation.getAnnotations()).map(Annotation::annotationType))
        .anyMatch(type ->
            type.getName().equals("org.junit.jupiter.api.Test")
                || type.getName().startsWith("org.junit.jupiter.params.ParameterizedTest")
                || type.getName().equals("org.junit.jupiter.api.TestFactory")
                || type.getName().equals("org.junit.jupiter.api.RepeatedTest"));
  }
}
