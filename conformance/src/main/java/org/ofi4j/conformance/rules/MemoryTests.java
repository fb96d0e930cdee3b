// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Capability;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.OtherProcess;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/**
 * CLS, REM: memory outside the heap, counted in a process that does nothing else, after each of
 * many vectors that were opened, used and closed.
 */
@ConformanceTest
class MemoryTests extends AddressTests {
  /** By then the process has what it keeps for good. */
  private static final int FIRST_LIVES = 8;

  private static final int LIVES = 40;

  /** What each life of a vector may leave: less than any piece that a vector asks for. */
  private static final int SPARE = 4096;

  /** What vectors hold before they are closed. */
  enum Content {
    NOTHING,
    ADDRESSES,
    RANGE,
    RANGES_AND_HOLES,
    NOTHING_ANY_MORE;

    void fill(OtherProcess process) {
      switch (this) {
        case NOTHING -> {}
        case ADDRESSES -> {
          for (int i = 1; i <= 20; i++) {
            process.insert(Addresses.a(process.format(), 7 * i));
          }
        }
        case RANGE -> process.tell("symmetric", "10.2.0.1", 3_000, "5000", 4);
        case RANGES_AND_HOLES -> {
          process.tell("symmetric", "10.2.0.1", 3_000, "5000", 2);
          process.tell("symmetric", "10.2.1.1", 1_000, "5000", 4);
          for (int i = 0; i < 20; i++) {
            process.tell("remove", 37 * i);
          }
          ADDRESSES.fill(process);
        }
        case NOTHING_ANY_MORE -> {
          ADDRESSES.fill(process);
          for (int i = 0; i < 20; i++) {
            process.tell("remove", i);
          }
          assertThat(process.number("size")).isZero();
        }
      }
    }
  }

  /** How many bytes more there are after so many lives, once the first are over. */
  private static long growth(OtherProcess process, int first, int lives, IntConsumer life) {
    IntStream.range(0, first).forEach(life);
    long before = process.memory();
    IntStream.range(first, first + lives).forEach(life);
    return process.memory() - before;
  }

  /** Lives of vectors leave nothing, whatever they held. */
  private static void livesLeaveNothing(
      OtherProcess process, VectorOptions options, Consumer<OtherProcess> content) {
    IntConsumer life =
        _ -> {
          process.open(options);
          content.accept(process);
          process.tell("close");
        };
    assertThat(growth(process, FIRST_LIVES, LIVES, life))
        .as("bytes that %d closed vectors left behind", LIVES)
        .isLessThan((long) LIVES * SPARE);
  }

  private static OtherProcess process(Setup setup, ConformanceEnvironment environment) {
    return environment.otherProcess(setup, environment.domain(setup));
  }

  @Proves({"AV-067", "AV-127", "AV-130", "AV-131"})
  @ParameterizedTest
  @EnumSource
  void closedVectorsLeaveNothing(Content content, ConformanceEnvironment environment) {
    livesLeaveNothing(process(Setup.DEFAULT, environment), VectorOptions.table(), content::fill);
  }

  @Proves("AV-067")
  @Test
  void closedVectorsOfAllKindsLeaveNothing(ConformanceEnvironment environment) {
    OtherProcess process = process(Setup.DEFAULT, environment);
    livesLeaveNothing(process, VectorOptions.map(), Content.ADDRESSES::fill);
    livesLeaveNothing(
        process, VectorOptions.table().withCount(5_000), Content.RANGES_AND_HOLES::fill);
  }

  @Proves(partly = {"AV-067", "AV-041"})
  @ParameterizedTest
  @EnumSource(names = {"ADDRESSES", "RANGE"})
  void closedNamedVectorsLeaveNothing(Content content, ConformanceEnvironment environment) {
    OtherProcess process =
        process(Setup.DEFAULT.caps(Capability.MSG, Capability.SHARED_AV), environment);
    VectorOptions named = VectorOptions.table().withName("memory " + UUID.randomUUID());
    livesLeaveNothing(process, named, content::fill);
  }

  @Proves("AV-067")
  @Test
  void closedVectorsWithKeysLeaveNothing(ConformanceEnvironment environment) {
    Setup setup = Setup.DEFAULT;
    OtherProcess process =
        environment.otherProcess(setup, environment.domain(setup.hintsForKeys()));
    livesLeaveNothing(
        process,
        VectorOptions.table(),
        each -> each.insert(a(1), each.insertAuthKey(AuthKeyTests.key(1))));
  }

  /** A peer that comes and goes takes what it takes once. */
  @Proves({"AV-180", "AV-127"})
  @Test
  void returningPeersTakeNoMore(ConformanceEnvironment environment) {
    OtherProcess process = process(Setup.DEFAULT, environment);
    process.open(VectorOptions.table());
    Content.ADDRESSES.fill(process);
    IntConsumer life =
        i -> {
          process.tell("remove", i % 20);
          process.insert(a(7 * (i % 20 + 1)));
        };
    assertThat(growth(process, 100, 900, life)).as("growth over 900 lives").isLessThan(SPARE);
  }
}
