// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URL;
import org.junit.jupiter.api.Test;

/** The rooms of the command and the arrows between them. */
class RoomsTest {
  private static final URL MAIN = Main.class.getProtectionDomain().getCodeSource().getLocation();

  private static final JavaClasses CLASSES = new ClassFileImporter().importUrl(MAIN);

  @Test
  void everyClassIsInARoom() {
    assertThat(CLASSES)
        .allMatch(each ->
            each.getPackageName()
                .matches(
                    "org[.]ofi4j[.]cli([.](av|bench|cluster|conformance|demo|info|pingpong|peers|output))?"));
  }

  @Test
  void aCommandUsesListsOfPeersAndOutputOnly() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("root")
        .definedBy("org.ofi4j.cli")
        .layer("commands")
        .definedBy("org.ofi4j.cli.(av|bench|cluster|conformance|demo|info|pingpong)")
        .layer("peers")
        .definedBy("org.ofi4j.cli.peers")
        .layer("output")
        .definedBy("org.ofi4j.cli.output")
        .whereLayer("root")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("commands")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("peers")
        .mayOnlyAccessLayers("output")
        .whereLayer("output")
        .mayNotAccessAnyLayer()
        .check(CLASSES);
  }

  @Test
  void commandsDoNotUseEachOther() {
    slices()
        .matching("org.ofi4j.cli.(av|bench|cluster|conformance|demo|info|pingpong)")
        .should()
        .notDependOnEachOther()
        .check(CLASSES);
  }
}
