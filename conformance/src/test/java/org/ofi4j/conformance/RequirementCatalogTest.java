// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RequirementCatalogTest {
  @Test
  void theTableHasAllRulesInOrder() {
    assertThat(RequirementCatalog.load().rules())
        .extracting(Requirement::id)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, 226).mapToObj("AV-%03d"::formatted).toList());
  }

  @Test
  void ruleWithoutTestSaysWhereTheAnswerIs() {
    assertThat(RequirementCatalog.load().rules())
        .filteredOn(rule -> rule.kind() != Requirement.Kind.TEST)
        .isNotEmpty()
        .allSatisfy(rule -> assertThat(rule.pointer()).as(rule.id()).isNotBlank())
        .noneSatisfy(rule -> assertThat(rule.needsTest()).as(rule.id()).isTrue());
  }

  @Test
  void damagedTablesAreRefused() {
    String head = "id\tgroup\ttitle\tsource\tkind\tverdict-when\terrno\tpointer\tpartial";
    String row = "AV-001\tGEN\tA rule\t1.3\ttest\tnow\t22,38\t\t";

    assertThat(RequirementCatalog.of(List.of(head, row)).rules())
        .singleElement()
        .returns(List.of(22, 38), Requirement::errno)
        .returns(true, Requirement::isFinished);
    assertThatThrownBy(() -> RequirementCatalog.of(List.of(head, row, row)))
        .hasMessageContaining("AV-001");
    assertThatThrownBy(() -> RequirementCatalog.of(List.of(head, row + "\tmore")))
        .hasMessageContaining("columns");
    assertThatThrownBy(() -> RequirementCatalog.of(List.of(head, row.replace("now", "soon"))))
        .hasMessageContaining("soon");
  }
}
