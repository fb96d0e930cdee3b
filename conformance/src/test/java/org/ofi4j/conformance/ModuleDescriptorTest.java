// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {

  private final ModuleDescriptor module = ConformanceSuite.class.getModule().getDescriptor();

  @Test
  void exportsTheSuiteToAll() {
    assertThat(module.name()).isEqualTo("org.ofi4j.conformance");
    assertThat(
            module.exports().stream()
                .collect(
                    Collectors.toMap(
                        ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets)))
        .isEqualTo(Map.of("org.ofi4j.conformance", Set.of()));
  }

  @Test
  void opensTheTestsToJUnitOnly() {
    Set<String> junit = Set.of("org.junit.platform.commons");
    assertThat(module.isOpen()).isFalse();
    assertThat(
            module.opens().stream()
                .collect(
                    Collectors.toMap(
                        ModuleDescriptor.Opens::source, ModuleDescriptor.Opens::targets)))
        .isEqualTo(
            Map.of(
                "org.ofi4j.conformance.harness", junit,
                "org.ofi4j.conformance.rules", junit));
  }

  @Test
  void neitherUsesNorProvidesServices() {
    assertThat(module.uses()).isEmpty();
    assertThat(module.provides()).isEmpty();
  }
}
