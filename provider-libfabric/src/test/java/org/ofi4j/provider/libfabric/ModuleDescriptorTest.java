// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.spi.FabricProvider;

/** What the module promises to others, to the letter. */
class ModuleDescriptorTest {

  private final Module module = ModuleDescriptorTest.class.getModule();
  private final ModuleDescriptor descriptor = module.getDescriptor();

  @Test
  void exportsAndOpensNothing() {
    assertThat(descriptor.name()).isEqualTo("org.ofi4j.provider.libfabric");
    assertThat(descriptor.exports()).isEmpty();
    assertThat(descriptor.isOpen()).isFalse();
    assertThat(descriptor.opens()).isEmpty();
  }

  @Test
  void providesOneFabricProviderAndUsesNone() {
    assertThat(descriptor.uses()).isEmpty();
    assertThat(descriptor.provides())
        .singleElement()
        .satisfies(provided -> {
          assertThat(provided.service()).isEqualTo(FabricProvider.class.getName());
          assertThat(provided.providers()).hasSize(1);
        });
  }

  /** An application on the class path has no module graph and looks in META-INF. */
  @Test
  void providesTheSameOnTheClassPath() throws IOException {
    List<String> providers =
        descriptor.provides().stream().flatMap(provided -> provided.providers().stream()).toList();
    try (InputStream file =
        module.getResourceAsStream("META-INF/services/" + FabricProvider.class.getName())) {
      assertThat(file).isNotNull();
      assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8).lines())
          .containsExactlyElementsOf(providers);
    }
  }

  @Test
  void needsTheInterfaceAndTheKitAlone() {
    assertThat(descriptor.requires())
        .filteredOn(
            required -> !required.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactlyInAnyOrder("java.base", "org.ofi4j.api", "org.ofi4j.provider.kit");
  }
}
