// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.av.CoreAddressVector;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {

  private final ModuleDescriptor module = CoreAddressVector.class.getModule().getDescriptor();

  @Test
  void exportsToTheKitAndTheProvidersOfThisProjectOnly() {
    Set<String> providers = Set.of("org.ofi4j.provider.kit");
    assertThat(module.name()).isEqualTo("org.ofi4j.core");
    assertThat(
            module.exports().stream()
                .collect(
                    Collectors.toMap(
                        ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets)))
        .isEqualTo(
            Map.of(
                "org.ofi4j.core.address", providers,
                "org.ofi4j.core.av", providers,
                "org.ofi4j.core.object", providers,
                "org.ofi4j.core.queue", providers));
  }

  @Test
  void opensNothing() {
    assertThat(module.isOpen()).isFalse();
    assertThat(module.opens()).isEmpty();
  }

  @Test
  void neitherUsesNorProvidesServices() {
    assertThat(module.uses()).isEmpty();
    assertThat(module.provides()).isEmpty();
  }

  @Test
  void needsTheInterfaceAlone() {
    assertThat(module.requires())
        .filteredOn(
            required -> !required.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactlyInAnyOrder("java.base", "org.ofi4j.api");
  }
}
