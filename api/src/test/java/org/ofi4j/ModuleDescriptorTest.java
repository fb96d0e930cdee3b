// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.ofi4j.spi.FabricProvider;

/**
 * What the module promises to others, to the letter: a change here is a change of the interface.
 */
class ModuleDescriptorTest {

  private final ModuleDescriptor module = FabricProvider.class.getModule().getDescriptor();

  @Test
  void exportsTheInterfaceToAll() {
    assertThat(module.name()).isEqualTo("org.ofi4j.api");
    assertThat(
            module.exports().stream()
                .collect(
                    Collectors.toMap(
                        ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets)))
        .isEqualTo(
            Map.of(
                "org.ofi4j", Set.of(), "org.ofi4j.historic", Set.of(), "org.ofi4j.spi", Set.of()));
  }

  @Test
  void opensNothing() {
    assertThat(module.isOpen()).isFalse();
    assertThat(module.opens()).isEmpty();
  }

  @Test
  void usesProvidersAndProvidesNone() {
    assertThat(module.uses()).containsExactly(FabricProvider.class.getName());
    assertThat(module.provides()).isEmpty();
  }

  @Test
  void needsNothingAtRunTimeButTheBaseOfTheJdk() {
    assertThat(module.requires())
        .filteredOn(
            required -> !required.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactly("java.base");
  }
}
