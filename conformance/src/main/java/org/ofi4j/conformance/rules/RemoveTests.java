// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.harness.Addresses.scattered;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.MemoryUse;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** REM: {@code fi_av_remove} without traffic. */
@ConformanceTest
class RemoveTests extends AddressTests {
  /** The forms of removing. */
  enum Form {
    PACKED,
    ARRAY;

    void remove(AddressVector vector, long... handles) {
      switch (this) {
        case PACKED -> vector.remove(MemorySegment.ofArray(handles), handles.length, 0);
        case ARRAY -> vector.remove(handles);
      }
    }
  }

  @Proves({"AV-125", "AV-208"})
  @Variants
  void aSetIsRemoved(Variant variant, ConformanceEnvironment environment) {
    for (Form form : Form.values()) {
      AddressVector vector = variant.open(environment);
      long[] fi = variant.insert(vector, variant.list(1, 3)).fi();

      form.remove(vector, fi[2], fi[0]);

      Expect.unset(vector, fi[0]);
      assertThat(vector.lookup(fi[1])).isEqualTo(variant.a(2));
      Expect.unset(vector, fi[2]);
      assertThat(vector.size()).isEqualTo(1);
      form.remove(vector);
      assertThat(vector.size()).isEqualTo(1);
    }
  }

  @Proves("AV-125")
  @Test
  @SuppressWarnings("NullAway") // a missing array is the point
  void badArraysAreRefused(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    vector.insert(List.of(a(1), a(2)));
    MemorySegment two = MemorySegment.ofArray(new long[] {0, 1});

    Expect.invalid(() -> vector.remove(null, 1, 0));
    Expect.invalid(() -> vector.remove(two, 3, 0));
    Expect.invalid(() -> vector.remove(two, -1, 0));
    assertThat(vector.size()).isEqualTo(2);
    Expect.invalid(() -> vector.remove((long[]) null));
    vector.remove(null, 0, 0);
    vector.remove(two, 0, 0);
    assertThat(vector.size()).isEqualTo(2);
  }

  @Proves({"AV-125", "AV-223"})
  @EachProfile
  void badHandlesDoNotStopTheOthers(Setup setup, ConformanceEnvironment environment) {
    for (Form form : Form.values()) {
      AddressVector vector = environment.vector(setup);
      vector.insert(list(1, 6));

      Expect.invalid(() -> form.remove(vector, 0, 200, 2, Handles.NOT_AVAILABLE, 4, 0));

      assertThat(vector.size()).isEqualTo(3);
      for (int index : new int[] {0, 2, 4}) {
        Expect.unset(vector, index);
        assertThat(vector.lookup(index + 1)).isEqualTo(a(index + 2));
      }
    }
  }

  /** Bad handles all over a list that is longer than what a provider may take at once. */
  @Proves({"AV-125", "AV-223"})
  @EachProfile
  void badHandlesDoNotStopLongLists(Setup setup, ConformanceEnvironment environment) {
    int count = 10_000;
    for (Form form : Form.values()) {
      AddressVector vector = environment.vector(setup);
      Expect.room(vector.insert(list(1, count), InsertOptions.none()));
      long[] handles = LongStream.range(0, count).toArray();
      for (int bad = 0; bad < count; bad += 77) {
        handles[bad] = bad % 2 == 0 ? Handles.NOT_AVAILABLE : count + bad;
      }

      Expect.invalid(() -> form.remove(vector, handles));

      long[] left = LongStream.range(0, count).filter(i -> i % 77 == 0).toArray();
      assertThat(vector.handles().sorted().toArray()).isEqualTo(left);
    }
  }

  @Proves({"AV-126", "AV-223"})
  @Variants
  void removedHandlesAreInvalid(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long[] fi = variant.insert(vector, variant.list(1, 3)).fi();

    vector.remove(fi[1]);

    Expect.unset(vector, fi[1]);
    MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
    Expect.invalid(() -> vector.lookup(fi[1], buffer));
    Expect.invalid(() -> vector.remove(fi[1]));
    assertThat(vector.find(variant.a(2))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.find(variant.a(1))).isEqualTo(fi[0]);
    assertThat(vector.size()).isEqualTo(2);
  }

  /** What goes in and out to see what becomes of the memory. */
  enum Portion {
    /** Addresses that follow from each other in no way. */
    SCATTERED,
    /** A range, which may cost less than one byte for each address. */
    RANGE;

    void insert(AddressVector vector, int count, int round) {
      switch (this) {
        case SCATTERED -> vector.insert(scattered(vector.format(), round * count, count)).orThrow();
        case RANGE -> vector.insertSymmetric("10." + round + ".0.0", count, "5000", 1).orThrow();
      }
    }
  }

  static Stream<Arguments> profilesAndPortions() {
    return Setup.profiles().stream()
        .flatMap(setup -> Stream.of(Portion.values()).map(portion -> Arguments.of(setup, portion)));
  }

  @Proves("AV-127")
  @ParameterizedTest
  @MethodSource("profilesAndPortions")
  void memoryComesBack(Setup setup, Portion portion, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    int count = 20_000;
    long[] all = LongStream.range(0, count).toArray();
    portion.insert(vector, count, 10);
    assertThat(vector.size()).isEqualTo(count);
    MemoryUse full = vector.statistics().memory();

    vector.remove(all);

    MemoryUse empty = vector.statistics().memory();
    assertThat(empty.live())
        .as("at most a tenth, or next to nothing for each that there was")
        .isLessThan(Math.max(full.live() / 10, count / 2));
    if (setup.isAppendOnly()) {
      return; // there indices are spent, and with them the room that they had
    }
    MemoryUse again = empty;
    for (int round = 0; round < 5; round++) {
      portion.insert(vector, count, round);
      vector.remove(all);
      if (round == 1) {
        // By now it has room for what lives of used indices need.
        again = vector.statistics().memory();
      }
    }
    // How the entries are spread is up to chance, and with it whether a little more is taken; three
    // rounds that used nothing again would take several times as much.
    MemoryUse last = vector.statistics().memory();
    assertThat(last.live()).isEqualTo(again.live());
    assertThat(last.held()).as("used again, not taken anew").isLessThan(2 * again.held());
  }

  @Proves("AV-128")
  @Variants(types = VectorType.TABLE)
  void aHandleComesBackOnlyThroughInserting(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    variant.insert(vector, variant.list(1, 3));
    vector.remove(1);
    vector.find(variant.a(2));
    Expect.unset(vector, 1);

    long again = variant.insert(vector, variant.a(9)).fi(0);

    if (variant.setup().isAppendOnly()) {
      assertThat(again).isEqualTo(3);
      Expect.unset(vector, 1);
    } else {
      assertThat(again).isEqualTo(1);
      assertThat(vector.lookup(1)).isEqualTo(variant.a(9));
    }
  }

  @Proves({"AV-130", "AV-131"})
  @Variants
  void closeNeedsNoRemoval(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    variant.insert(vector, variant.list(1, 200));
    vector.remove(vector.handleAt(17));

    vector.close();

    assertThat(vector.isOpen()).isFalse();
    vector.domain().close();
    assertThat(vector.domain().isOpen()).as("nothing is left that holds it").isFalse();
  }

  /** Nor are addresses removed as keys. */
  @Proves(partly = {"AV-134", "AV-135"})
  @EachProfile
  void noFlagGoesWithAddresses(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    vector.insert(a(1));
    MemorySegment handles = MemorySegment.ofArray(new long[] {0});

    for (int bit = 0; bit < Long.SIZE; bit++) {
      long flags = 1L << bit;
      Expect.invalid(() -> vector.remove(handles, 1, flags));
    }

    assertThat(vector.lookup(0)).isEqualTo(a(1));
  }

  @Proves({"AV-125", "AV-183"})
  @Test
  void manyRoundsEndWhereTheyBegan(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    vector.insert(list(1, 8));
    for (int round = 0; round < 1000; round++) {
      int victim = round % 8;
      vector.remove(victim);
      Expect.unset(vector, victim);
      assertThat(vector.insert(a(victim + 1))).isEqualTo(victim);
    }
    for (int i = 0; i < 8; i++) {
      assertThat(vector.lookup(i)).isEqualTo(a(i + 1));
      assertThat(vector.find(a(i + 1))).isEqualTo(i);
    }
    assertThat(vector.size()).isEqualTo(8);
  }
}
