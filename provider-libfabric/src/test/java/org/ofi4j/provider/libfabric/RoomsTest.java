// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import org.junit.jupiter.api.Test;

/** The rooms of the provider and the arrows between them, as its packages say. */
class RoomsTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(LibfabricProvider.class.getProtectionDomain().getCodeSource().getLocation());

  private static final String[] ROOMS = {
    "endpoint", "offer", "connection", "progress", "memory", "shm", "fault", "library"
  };

  @Test
  void everyClassIsInARoom() {
    assertThat(CLASSES)
        .isNotEmpty()
        .allMatch(each ->
            each.getPackageName()
                .matches(
                    "org[.]ofi4j[.]provider[.]libfabric([.](" + String.join("|", ROOMS) + "))?"));
  }

  @Test
  void aRoomUsesThoseBelowItOnly() {
    rooms()
        .whereLayer("root")
        .mayOnlyAccessLayers("endpoint", "offer", "connection", "library")
        .whereLayer("endpoint")
        .mayOnlyAccessLayers("offer", "connection", "progress", "memory", "shm", "fault", "library")
        .whereLayer("offer")
        .mayOnlyAccessLayers("fault", "library")
        .whereLayer("fault")
        .mayOnlyAccessLayers("library")
        .whereLayer("shm")
        .mayOnlyAccessLayers("library")
        .whereLayer("connection")
        .mayOnlyAccessLayers("progress", "library")
        .whereLayer("progress")
        .mayOnlyAccessLayers("library")
        .whereLayer("memory")
        .mayOnlyAccessLayers("library")
        .whereLayer("library")
        .mayNotAccessAnyLayer()
        .check(CLASSES);
  }

  @Test
  void anArrowThatIsNotDrawnIsNamed() {
    assertThat(
            rooms()
                .whereLayer("endpoint")
                .mayOnlyAccessLayers("offer", "connection", "progress", "shm", "fault", "library")
                .evaluate(CLASSES)
                .getFailureReport()
                .getDetails())
        .isNotEmpty()
        .allMatch(
            edge -> edge.contains(".libfabric.endpoint.") && edge.contains(".libfabric.memory."));
  }

  @Test
  void noRoomUsesItself() {
    slices()
        .matching("org.ofi4j.provider.libfabric.(*)..")
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }

  private static LayeredArchitecture rooms() {
    LayeredArchitecture rooms =
        layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("root")
            .definedBy("org.ofi4j.provider.libfabric");
    for (String room : ROOMS) {
      rooms = rooms.layer(room).definedBy("org.ofi4j.provider.libfabric." + room);
    }
    return rooms;
  }
}
