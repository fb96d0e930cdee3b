// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.table;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.Allocation;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

/**
 * What Flight Recorder sees of a vector, and that nothing is done for it while it does not look.
 */
class VectorEventsTest {
  private static final List<String> NAMES =
      List.of(VectorEvents.INSERTION, VectorEvents.REMOVAL, VectorEvents.GROWTH);

  @TempDir Path directory;

  private Recording recording(String... names) {
    Recording recording = new Recording();
    for (String name : names) {
      recording.enable(name).withoutStackTrace();
    }
    recording.start();
    return recording;
  }

  private List<RecordedEvent> events(Recording recording, String name) throws IOException {
    recording.stop();
    Path file = directory.resolve(name + ".jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(name))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .toList();
  }

  @Test
  void insertionsOfAllKinds() throws IOException {
    List<RecordedEvent> seen;
    try (Recording recording = recording(VectorEvents.INSERTION)) {
      CoreAddressVector vector = table();
      vector.insert(a(1));
      vector.insert(packed(a(2), VectorFixture.BAD, a(3)), 3, longs(0, 0, 0), null, 0, null);
      vector.insert(List.of(a(4), a(5)), InsertOptions.none());
      vector.insertSymmetric("10.2.0.1", 300, "65535", 2, InsertOptions.none());
      vector.insertService("10.3.0.1", "80");
      fails(Errno.EADDRNOTAVAIL, () -> vector.insert(VectorFixture.BAD));
      fails(Errno.EINVAL, () -> vector.insert((FabricAddress) null));
      seen = events(recording, VectorEvents.INSERTION);
    }
    assertThat(seen)
        .extracting(event -> event.getInt("requested"), event -> event.getInt("inserted"))
        .map(Object::toString)
        .containsExactly("(1, 1)", "(3, 2)", "(2, 2)", "(600, 300)", "(1, 1)", "(1, 0)");
    assertThat(seen)
        .allSatisfy(event -> {
          assertThat(event.getString("domain")).isEqualTo("test domain");
          assertThat(event.getLong("vector"))
              .isPositive()
              .isEqualTo(seen.getFirst().getLong("vector"));
          assertThat(event.getBoolean("asynchronous")).isFalse();
          assertThat(event.getDuration()).isPositive();
          assertThat(event.getThread().getJavaThreadId())
              .isEqualTo(Thread.currentThread().threadId());
        });
  }

  @Test
  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  void asynchronousInsertions() throws Exception {
    TestFabric fabric = new TestFabric();
    TestDomain domain = new TestDomain(fabric, TestInfo.defaults().build());
    EventQueue queue = fabric.openEventQueue(EventQueueOptions.defaults().withSize(100));
    List<RecordedEvent> seen;
    try (Recording recording = recording(VectorEvents.INSERTION)) {
      AddressVector vector =
          domain.openAddressVector(VectorOptions.table().withFlags(VectorFlag.EVENT));
      HistoricVector.of(vector).bind(queue, 0);
      Insertion insertion =
          vector.insert(List.of(a(1), VectorFixture.BAD, a(2)), InsertOptions.none());
      while (!insertion.isDone()) {
        Thread.sleep(1);
      }
      vector.close();
      seen = events(recording, VectorEvents.INSERTION);
    }
    assertThat(seen)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getBoolean("asynchronous")).isTrue();
          assertThat(event.getInt("requested")).isEqualTo(3);
          assertThat(event.getInt("inserted")).isEqualTo(2);
        });
  }

  @Test
  void removals() throws IOException {
    List<RecordedEvent> seen;
    try (Recording recording = recording(VectorEvents.REMOVAL)) {
      CoreAddressVector vector = table();
      vector.insert(List.of(a(1), a(2), a(3)), InsertOptions.none());
      vector.remove(1);
      fails(Errno.EINVAL, () -> vector.remove(longs(0, 1, 2), 3, 0));
      seen = events(recording, VectorEvents.REMOVAL);
    }
    assertThat(seen)
        .extracting(event -> event.getInt("requested"), event -> event.getInt("removed"))
        .map(Object::toString)
        .containsExactly("(1, 1)", "(3, 2)");
    assertThat(seen)
        .allSatisfy(event -> assertThat(event.getString("domain")).isEqualTo("test domain"));
  }

  @Test
  void growthTellsOfAllMemory() throws IOException {
    List<RecordedEvent> seen;
    long held;
    try (Recording recording = recording(VectorEvents.GROWTH)) {
      CoreAddressVector one = table();
      for (int i = 1; i < 5000; i++) {
        one.insert(a(i * 7919));
      }
      held = one.statistics().memory().held();
      CoreAddressVector other = table();
      other.insert(a(1));
      seen = events(recording, VectorEvents.GROWTH);
    }
    long first = seen.getFirst().getLong("vector");
    List<RecordedEvent> ofOne =
        seen.stream().filter(event -> event.getLong("vector") == first).toList();
    assertThat(seen.getLast().getLong("vector")).isEqualTo(first + 1);
    assertThat(ofOne).hasSizeGreaterThan(1);
    long sum = 0;
    for (RecordedEvent event : ofOne) {
      assertThat(event.getLong("bytes")).isPositive();
      sum += event.getLong("bytes");
      assertThat(event.getLong("held")).isEqualTo(sum);
    }
    assertThat(sum).isEqualTo(held);
  }

  @Test
  void offByDefault() throws IOException {
    try (Recording recording = recording()) {
      CoreAddressVector vector = table();
      vector.insert(a(1));
      vector.remove(0);
      recording.stop();
      Path file = directory.resolve("off.jfr");
      recording.dump(file);
      assertThat(RecordingFile.readAllEvents(file))
          .extracting(event -> event.getEventType().getName())
          .doesNotContainAnyElementsOf(NAMES);
    }
  }

  @Test
  void nothingIsAllocatedWhenOff() {
    VectorEvents events = new VectorEvents("test");
    int calls = 10_000;
    assertThat(least(events, calls)).as("bytes for %d calls", calls).isLessThan(calls);
    try (Recording recording = recording(NAMES.toArray(String[]::new))) {
      assertThat(allocated(events, calls)).as("with somebody who looks").isGreaterThan(calls);
      recording.stop();
    }
    assertThat(least(events, calls)).as("and after").isLessThan(calls);
  }

  /**
   * The least of some rounds: what the JVM allocates once shows in one, what a call does in all.
   */
  private static long least(VectorEvents events, int calls) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) {
      least = Math.min(least, allocated(events, calls));
    }
    return least;
  }

  private static long allocated(VectorEvents events, int calls) {
    long before = Allocation.bytes();
    int created = 0;
    for (int i = 0; i < calls; i++) {
      created += events.insertion() == null ? 0 : 1;
      created += events.removal() == null ? 0 : 1;
      events.growth(i, i);
    }
    long after = Allocation.bytes();
    assertThat(created).isIn(0, 2 * calls);
    return after - before;
  }

  /** Run in a runtime of its own, which has no Flight Recorder. */
  static final class WithoutRecorder {
    private WithoutRecorder() {}

    public static void main(String[] arguments) {
      CoreAddressVector vector = table();
      for (int i = 1; i <= 1000; i++) {
        vector.insert(a(i));
      }
      vector.remove(7);
      boolean recorder = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      System.out.println(vector.size() + " entries, recorder: " + recorder);
    }
  }

  @Test
  void runtimesWithoutFlightRecorder() throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--limit-modules",
                "java.base",
                "-cp",
                classPath(),
                WithoutRecorder.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor()).isZero();
    } finally {
      process.destroyForcibly();
    }
    assertThat(Files.readString(output)).isEqualTo("999 entries, recorder: false\n");
  }

  /** Everything that this test runs on, whether in modules or not. */
  private static String classPath() throws URISyntaxException {
    return Stream.concat(
            Stream.of(AddressVector.class, CoreAddressVector.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath()),
            Stream.of(
                Path.of("target", "test-classes").toString(),
                System.getProperty("java.class.path"),
                System.getProperty("jdk.module.path", "")))
        .filter(place -> !place.isEmpty())
        .collect(Collectors.joining(java.io.File.pathSeparator));
  }
}
