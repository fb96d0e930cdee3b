// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** Positions of failed addresses, in events and in status arrays, in short and in long calls. */
@ConformanceTest
class FailurePositionTests extends AddressTests {
  private static final Object CONTEXT = "context of the call";
  private static final InsertOptions WITH_CONTEXT = InsertOptions.none().withContext(CONTEXT);

  private static List<Event.Failure> failures(List<Event> events) {
    return events.stream()
        .filter(Event.Failure.class::isInstance)
        .map(Event.Failure.class::cast)
        .toList();
  }

  /** Positions around powers of two, where a provider may divide a long list. */
  private static List<Long> positionsToTheEnd() {
    List<Long> positions = new ArrayList<>();
    for (long power = 1; power <= 4096; power *= 2) {
      positions.addAll(List.of(power * 3 - 1, power * 3, power * 3 + 1));
    }
    return positions.stream().distinct().sorted().toList();
  }

  private static List<FabricAddress> longList(Variant variant, List<Long> bad) {
    List<FabricAddress> list = new ArrayList<>(variant.list(1, 12_290));
    bad.forEach(position -> list.set(position.intValue(), variant.bad()));
    return list;
  }

  private static void assumeRoom(boolean hasRoom) {
    Assumptions.assumeTrue(hasRoom, "not offered: room for thousands of peers");
  }

  private static long[] positions(long[] fi) {
    return LongStream.range(0, fi.length)
        .filter(i -> fi[(int) i] == Handles.NOT_AVAILABLE)
        .toArray();
  }

  /** Positions have nothing to do with indices, nor with other calls. */
  @Proves("AV-059")
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void positionsAreThoseOfTheCall(Variant variant, ConformanceEnvironment environment) {
    AsyncVector async = variant.openAsync(environment);
    Inserted earlier = variant.form().insert(async.vector(), variant.list(1, 40), CONTEXT);
    async.events().untilCompletion();
    async.vector().remove(new long[] {earlier.fi(3), earlier.fi(7)});
    List<Long> bad = List.of(0L, 5L, 63L, 64L, 100L, 127L, 128L, 149L);
    List<FabricAddress> list = new ArrayList<>(variant.list(51, 200));
    bad.forEach(position -> list.set(position.intValue(), variant.bad()));

    for (int call = 0; call < 2; call++) {
      variant.form().insert(async.vector(), list, CONTEXT);
      List<Event> events = async.events().untilCompletion();

      assertThat(failures(events)).extracting(Event.Failure::data).containsExactlyElementsOf(bad);
      assertThat(failures(events)).extracting(Event.Failure::index).containsExactlyElementsOf(bad);
    }
  }

  @Proves("AV-059")
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void eventsOfLongListsTellPositions(Variant variant, ConformanceEnvironment environment) {
    List<Long> bad = positionsToTheEnd();
    AsyncVector async = variant.openAsync(environment);
    List<FabricAddress> list = longList(variant, bad);

    Inserted inserted = variant.form().insert(async.vector(), list, CONTEXT);
    List<Event> events = async.events().untilCompletion();

    assumeRoom(failures(events).stream().noneMatch(each -> each.errno() == Errno.ENOMEM));
    assertThat(failures(events)).extracting(Event.Failure::data).containsExactlyElementsOf(bad);
    assertThat(events.getLast().data()).isEqualTo(list.size() - bad.size());
    assertThat(positions(inserted.fi())).containsExactly(bad.toArray(Long[]::new));
  }

  @Proves({"AV-101", "AV-102"})
  @Variants(
      forms = {InsertForm.PACKED, InsertForm.COLLECTION},
      withStatuses = true)
  void statusesOfLongListsTellPositions(Variant variant, ConformanceEnvironment environment) {
    List<Long> bad = positionsToTheEnd();
    AddressVector vector = variant.open(environment);
    List<FabricAddress> list = longList(variant, bad);

    Inserted inserted = variant.form().insert(vector, list);

    assumeRoom(IntStream.of(inserted.st()).noneMatch(each -> each == Errno.ENOMEM.number()));
    assertThat(inserted.result()).isEqualTo(list.size() - bad.size());
    int[] expected = new int[list.size()];
    bad.forEach(position -> expected[position.intValue()] = Errno.EADDRNOTAVAIL.number());
    assertThat(inserted.st()).isEqualTo(expected);
    assertThat(positions(inserted.fi())).containsExactly(bad.toArray(Long[]::new));
  }

  /** More addresses than 16 bits can count. */
  @Proves("AV-057")
  @EachProfile
  void completionsOfLongRangesCountAll(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);

    async.vector().insertSymmetric("10.1.1.1", 3, "40000", 25_000, WITH_CONTEXT);
    List<Event> events = async.events().untilCompletion();

    assumeRoom(failures(events).isEmpty());
    assertThat(events.getLast().data()).isEqualTo(75_000);
  }

  /** The last port of each node does not exist. */
  @Proves("AV-059")
  @EachProfile
  void eventsOfLongRangesTellPositions(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);

    async.vector().insertSymmetric("10.1.1.1", 3, "60036", 5501, WITH_CONTEXT);
    List<Event> events = async.events().untilCompletion();

    assumeRoom(failures(events).stream().noneMatch(each -> each.errno() == Errno.ENOMEM));
    assertThat(failures(events))
        .extracting(Event.Failure::data)
        .containsExactlyInAnyOrder(5500L, 11_001L, 16_502L);
    assertThat(events.getLast().data()).isEqualTo(16_500);
  }

  /** Names that are unknown fail at their places in the whole range. */
  @Proves({"AV-059", "AV-207"})
  @Test
  void unknownNamesOfRangesFailAtTheirPositions(ConformanceEnvironment environment) {
    AsyncVector async =
        environment.asyncVector(
            Setup.DEFAULT,
            VectorOptions.table()
                .withResolver(host ->
                    host.equals("node8") || host.equals("node10")
                        ? List.of()
                        : List.of(InetAddress.ofLiteral("10.7.7." + host.substring(4)))));
    MemorySegment handles = MemorySegment.ofArray(new long[12]);
    handles.fill((byte) 0x55);

    async.vector().insertSymmetric("node8", 4, "5000", 3, handles, null, 0, CONTEXT);
    List<Event> events = async.events().untilCompletion();

    assertThat(failures(events))
        .extracting(Event.Failure::data)
        .containsExactlyInAnyOrder(0L, 1L, 2L, 6L, 7L, 8L);
    assertThat(events.getLast().data()).isEqualTo(6);
    for (int i = 0; i < 12; i++) {
      long handle = handles.getAtIndex(ValueLayout.JAVA_LONG, i);
      if (i / 3 % 2 == 0) {
        assertThat(handle).as("handle of what failed").isEqualTo(Handles.NOT_AVAILABLE);
      } else {
        Expect.address(async.vector(), handle, ipv4(0x0A07_0700 + 8 + i / 3, 5000 + i % 3));
      }
    }
  }
}
