// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import org.junit.jupiter.api.Test;

/** The exports, services and needs of the module, to the letter. */
class ModuleDescriptorTest {
  private final ModuleDescriptor descriptor = KitFabric.class.getModule().getDescriptor();

  @Test
  void exportsItsOnePackageToAllAndOpensNothing() {
    assertThat(descriptor.name()).isEqualTo("org.ofi4j.provider.kit");
    assertThat(descriptor.exports())
        .singleElement()
        .satisfies(exported -> {
          assertThat(exported.source()).isEqualTo("org.ofi4j.provider.kit");
          assertThat(exported.isQualified()).isFalse();
        });
    assertThat(descriptor.isOpen()).isFalse();
    assertThat(descriptor.opens()).isEmpty();
  }

  @Test
  void neitherUsesNorProvidesServices() {
    assertThat(descriptor.uses()).isEmpty();
    assertThat(descriptor.provides()).isEmpty();
  }

  @Test
  void needsTheInterfaceAndTheCoreAlone() {
    assertThat(descriptor.requires())
        .filteredOn(
            required -> !required.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactlyInAnyOrder("java.base", "org.ofi4j.api", "org.ofi4j.core");
  }
}
