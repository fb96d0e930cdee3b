// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import org.junit.jupiter.api.Test;

/**
 * The rooms of the provider and the arrows between them, as docs/internals/architecture.md draws
 * them.
 */
class RoomsTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(NetProvider.class.getProtectionDomain().getCodeSource().getLocation());

  private static final String[] ROOMS = {
    "udp",
    "tcp",
    "connection",
    "rma",
    "matching",
    "transfer",
    "security",
    "sharedmemory",
    "wire",
    "endpoint",
    "progress"
  };

  @Test
  void everyClassIsInARoom() {
    assertThat(CLASSES)
        .allMatch(each ->
            each.getPackageName()
                .matches("org[.]ofi4j[.]provider[.]net([.](" + String.join("|", ROOMS) + "))?"));
  }

  @Test
  void aRoomUsesThoseBelowItOnly() {
    rooms()
        .whereLayer("root")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("udp")
        .mayOnlyAccessLayers("endpoint", "progress")
        .whereLayer("tcp")
        .mayOnlyAccessLayers(
            "connection",
            "rma",
            "matching",
            "transfer",
            "security",
            "sharedmemory",
            "wire",
            "endpoint",
            "progress")
        .whereLayer("connection")
        .mayOnlyAccessLayers(
            "matching", "transfer", "security", "sharedmemory", "wire", "endpoint", "progress")
        .whereLayer("rma")
        .mayOnlyAccessLayers("matching", "transfer", "wire", "endpoint")
        .whereLayer("matching")
        .mayOnlyAccessLayers("transfer", "wire", "endpoint")
        .whereLayer("transfer")
        .mayOnlyAccessLayers("wire", "endpoint")
        .whereLayer("security")
        .mayOnlyAccessLayers("wire", "endpoint")
        .whereLayer("sharedmemory")
        .mayNotAccessAnyLayer()
        .whereLayer("wire")
        .mayNotAccessAnyLayer()
        .whereLayer("endpoint")
        .mayOnlyAccessLayers("progress")
        .whereLayer("progress")
        .mayNotAccessAnyLayer()
        .check(CLASSES);
  }

  @Test
  void anArrowThatIsNotDrawnIsNamed() {
    assertThat(
            rooms()
                .whereLayer("security")
                .mayOnlyAccessLayers("endpoint")
                .evaluate(CLASSES)
                .getFailureReport()
                .getDetails())
        .isNotEmpty()
        .allMatch(edge -> edge.contains(".net.security.") && edge.contains(".net.wire."));
  }

  @Test
  void noRoomUsesItself() {
    slices().matching("org.ofi4j.provider.net.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  private static LayeredArchitecture rooms() {
    LayeredArchitecture rooms =
        layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("root")
            .definedBy("org.ofi4j.provider.net");
    for (String room : ROOMS) {
      rooms = rooms.layer(room).definedBy("org.ofi4j.provider.net." + room);
    }
    return rooms;
  }
}
