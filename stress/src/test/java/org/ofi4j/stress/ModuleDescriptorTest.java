// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.ofi4j.stress.chaos.Chaos;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {

  /** Tests run on the class path, so the descriptor is read from where the classes are. */
  @Test
  void exportsChaosAndKnowsTheBenchmarksAlone() throws Exception {
    URI classes = Chaos.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    ModuleDescriptor module =
        ModuleFinder.of(Path.of(classes)).find("org.ofi4j.stress").orElseThrow().descriptor();
    assertThat(module.exports().stream().map(ModuleDescriptor.Exports::source))
        .containsExactly("org.ofi4j.stress.chaos");
    assertThat(module.requires().stream().map(ModuleDescriptor.Requires::name))
        .filteredOn(name -> name.startsWith("org.ofi4j"))
        .containsExactly("org.ofi4j.benchmarks");
    assertThat(module.opens()).isEmpty();
    assertThat(module.uses()).isEmpty();
    assertThat(module.provides()).isEmpty();
  }
}
