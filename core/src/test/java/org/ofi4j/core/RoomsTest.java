// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.av.CoreAddressVector;

/** The rooms of core and the arrows between them, as docs/internals/architecture.md draws them. */
class RoomsTest {
  private static final String CORE = "org.ofi4j.core.";

  /** Which rooms a room may use. */
  private static final Map<String, List<String>> ARROWS =
      Map.ofEntries(
          entry("object", List.of()),
          entry("address", List.of("object")),
          entry("memory", List.of()),
          entry("queue", List.of("object")),
          entry("share", List.of("memory", "object")),
          entry("source", List.of("address", "object")),
          entry("hash", List.of("memory")),
          entry("free", List.of("memory")),
          entry("slot", List.of("memory", "hash", "free", "address", "share")),
          entry("run", List.of("memory", "hash", "free", "slot", "address")),
          entry("store", List.of("memory", "hash", "free", "slot", "run", "address", "object")),
          entry(
              "check",
              List.of("memory", "hash", "free", "slot", "run", "store", "address", "share")),
          entry(
              "mapped",
              List.of("memory", "slot", "run", "store", "check", "address", "share", "object")),
          entry(
              "av",
              List.of(
                  "memory", "slot", "run", "store", "check", "mapped", "source", "address",
                  "object", "queue")));

  /** Those that other modules see; what is public there is theirs. */
  private static final Set<String> EXPORTED = Set.of("address", "av", "object", "queue");

  /** What only tests of other rooms use. */
  private static final Set<String> OF_TESTS = Set.of("NodeRange", "SymmetricAddresses");

  private static JavaClasses classes;

  @BeforeAll
  static void read() {
    classes =
        new ClassFileImporter()
            .importUrl(CoreAddressVector.class.getProtectionDomain().getCodeSource().getLocation());
  }

  @Test
  void aRoomUsesThoseBelowItOnly() {
    arrows(ARROWS).check(classes);
  }

  @Test
  void anArrowThatIsNotDrawnIsNamed() {
    Map<String, List<String>> without = new HashMap<>(ARROWS);
    without.put("free", List.of());

    assertThat(arrows(without).evaluate(classes).getFailureReport().getDetails())
        .isNotEmpty()
        .allMatch(edge -> edge.contains(CORE + "free.") && edge.contains(CORE + "memory."));
  }

  @Test
  void everyClassIsInARoom() {
    assertThat(classes)
        .filteredOn(each -> each.getPackageName().startsWith(CORE))
        .allMatch(each -> ARROWS.containsKey(room(each)));
  }

  @Test
  void noRoomUsesItself() {
    slices().matching(CORE + "(*)..").should().beFreeOfCycles().check(classes);
  }

  /** Nothing is public but what another room uses; the use of a constant leaves no trace. */
  @Test
  void whatIsPublicIsUsedByOtherRooms() {
    Set<String> idle = new TreeSet<>();
    for (JavaClass each : classes) {
      boolean shows = each.isTopLevelClass() && each.getModifiers().contains(JavaModifier.PUBLIC);
      boolean exempt = EXPORTED.contains(room(each)) || OF_TESTS.contains(each.getSimpleName());
      if (shows && !exempt && !isUsedElsewhere(each) && !hasConstants(each)) {
        idle.add(each.getName());
      }
    }
    assertThat(idle).isEmpty();
  }

  private static boolean isUsedElsewhere(JavaClass each) {
    return each.getDirectDependenciesToSelf().stream()
        .anyMatch(use -> !use.getOriginClass().getPackageName().equals(each.getPackageName()));
  }

  private static boolean hasConstants(JavaClass each) {
    return each.getFields().stream()
        .map(JavaField::getModifiers)
        .anyMatch(modifiers ->
            modifiers.containsAll(
                Set.of(JavaModifier.PUBLIC, JavaModifier.STATIC, JavaModifier.FINAL)));
  }

  private static String room(JavaClass each) {
    return each.getPackageName().substring(CORE.length());
  }

  private static ArchRule arrows(Map<String, List<String>> drawn) {
    LayeredArchitecture rooms = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String room : drawn.keySet()) {
      rooms = rooms.layer(room).definedBy(CORE + room);
    }
    for (Map.Entry<String, List<String>> each : drawn.entrySet()) {
      LayeredArchitecture.LayerDependencySpecification from = rooms.whereLayer(each.getKey());
      List<String> to = each.getValue();
      rooms =
          to.isEmpty()
              ? from.mayNotAccessAnyLayer()
              : from.mayOnlyAccessLayers(to.toArray(String[]::new));
    }
    return rooms;
  }
}
