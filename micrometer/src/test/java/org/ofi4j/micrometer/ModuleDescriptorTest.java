// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import org.junit.jupiter.api.Test;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {
  private final ModuleDescriptor descriptor = FabricMetrics.class.getModule().getDescriptor();

  @Test
  void exportsItsOnePackageAndOpensNothing() {
    assertThat(descriptor.name()).isEqualTo("org.ofi4j.micrometer");
    assertThat(descriptor.exports())
        .singleElement()
        .satisfies(exported -> {
          assertThat(exported.source()).isEqualTo("org.ofi4j.micrometer");
          assertThat(exported.isQualified()).isFalse();
        });
    assertThat(descriptor.isOpen()).isFalse();
    assertThat(descriptor.opens()).isEmpty();
  }

  @Test
  void needsTheInterfaceAndMicrometerAlone() {
    assertThat(descriptor.requires())
        .filteredOn(
            required -> !required.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactlyInAnyOrder("java.base", "org.ofi4j.api", "micrometer.core");
  }
}
