// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {

  private final ModuleDescriptor module = Main.class.getModule().getDescriptor();

  @Test
  void exportsNothing() {
    assertThat(module.name()).isEqualTo("org.ofi4j.cli");
    assertThat(module.exports()).isEmpty();
  }

  @Test
  void opensTheCommandsToPicocliOnly() {
    assertThat(module.isOpen()).isFalse();
    Set<String> picocli = Set.of("info.picocli");
    assertThat(
            module.opens().stream()
                .collect(
                    Collectors.toMap(
                        ModuleDescriptor.Opens::source, ModuleDescriptor.Opens::targets)))
        .containsOnlyKeys(
            "org.ofi4j.cli",
            "org.ofi4j.cli.av",
            "org.ofi4j.cli.bench",
            "org.ofi4j.cli.cluster",
            "org.ofi4j.cli.conformance",
            "org.ofi4j.cli.demo",
            "org.ofi4j.cli.info",
            "org.ofi4j.cli.output",
            "org.ofi4j.cli.pingpong")
        .allSatisfy((source, targets) -> assertThat(targets).isEqualTo(picocli));
  }

  @Test
  void neitherUsesNorProvidesServices() {
    assertThat(module.uses()).isEmpty();
    assertThat(module.provides()).isEmpty();
  }

  /**
   * The launcher adds the suite and JUnit, or the benchmarks and chaos, to the path of their
   * command.
   */
  @ParameterizedTest
  @ValueSource(strings = {"org.ofi4j.conformance", "org.ofi4j.benchmarks", "org.ofi4j.stress"})
  void needsWhatIsForOneCommandOnlyThere(String module) {
    assertThat(this.module.requires())
        .filteredOn(required -> required.name().equals(module))
        .singleElement()
        .satisfies(required ->
            assertThat(required.modifiers()).contains(ModuleDescriptor.Requires.Modifier.STATIC));
  }
}
