// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.Bar;

/** The rooms of the benchmarks and the arrows between them. */
class RoomsTest {
  private static final List<String> ROOMS =
      List.of("figure", "process", "vector", "named", "messaging", "cluster", "plot");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(Bar.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void everyClassIsInARoom() {
    assertThat(CLASSES)
        .allMatch(each ->
            ROOMS.contains(each.getPackageName().substring("org.ofi4j.benchmarks.".length())));
  }

  @Test
  void aRoomUsesThoseBelowItOnly() {
    LayeredArchitecture rooms = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String room : ROOMS) {
      rooms = rooms.layer(room).definedBy("org.ofi4j.benchmarks." + room);
    }
    rooms
        .whereLayer("figure")
        .mayNotAccessAnyLayer()
        .whereLayer("process")
        .mayOnlyAccessLayers("figure")
        .whereLayer("vector")
        .mayOnlyAccessLayers("figure", "process")
        .whereLayer("named")
        .mayOnlyAccessLayers("figure", "process", "vector")
        .whereLayer("messaging")
        .mayOnlyAccessLayers("figure", "process")
        .whereLayer("cluster")
        .mayOnlyAccessLayers("figure", "process", "vector")
        .whereLayer("plot")
        .mayOnlyAccessLayers("figure", "named", "messaging")
        .check(CLASSES);
  }
}
