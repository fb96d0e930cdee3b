// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.vector.AvBenchmark;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {

  private final ModuleDescriptor module = AvBenchmark.class.getModule().getDescriptor();

  @Test
  void exportsTheBenchmarkAndOpensNothing() {
    assertThat(module.name()).isEqualTo("org.ofi4j.benchmarks");
    assertThat(module.exports().stream().map(ModuleDescriptor.Exports::source))
        .containsExactlyInAnyOrder(
            "org.ofi4j.benchmarks.cluster",
            "org.ofi4j.benchmarks.figure",
            "org.ofi4j.benchmarks.messaging",
            "org.ofi4j.benchmarks.named",
            "org.ofi4j.benchmarks.plot",
            "org.ofi4j.benchmarks.process",
            "org.ofi4j.benchmarks.vector");
    assertThat(module.opens()).isEmpty();
    assertThat(module.isOpen()).isFalse();
  }

  /** It measures what an application sees, whoever provides it. */
  @Test
  void knowsTheInterfaceAlone() {
    Set<String> ours =
        module.requires().stream()
            .map(ModuleDescriptor.Requires::name)
            .filter(name -> name.startsWith("org.ofi4j"))
            .collect(Collectors.toSet());
    assertThat(ours).containsExactly("org.ofi4j.api");
    assertThat(module.uses()).isEmpty();
    assertThat(module.provides()).isEmpty();
  }
}
