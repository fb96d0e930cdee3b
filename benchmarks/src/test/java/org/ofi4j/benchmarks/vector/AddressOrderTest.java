// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Mixing;

class AddressOrderTest {
  private static final int COUNT = 10_000;

  @ParameterizedTest
  @EnumSource
  void addressesAreUniqueButWhereDuplicatesAreMeant(AddressOrder order) {
    long unique = LongStream.of(keys(order)).distinct().count();
    assertThat(unique).isEqualTo(order == AddressOrder.DUPLICATES ? COUNT - COUNT / 100 : COUNT);
  }

  @ParameterizedTest
  @EnumSource
  void addressesOfAPatternAreUnique(AddressPattern pattern) {
    assertThat(LongStream.of(keys(pattern)).distinct().count()).isEqualTo(COUNT);
  }

  /** Neither side takes an address without node or port. */
  @ParameterizedTest
  @EnumSource
  void everyAddressHasNodeAndPort(AddressPattern pattern) {
    assertThat(LongStream.of(keys(pattern)))
        .allMatch(key -> key >>> 16 != 0 && (key & 0xFFFF) != 0);
  }

  @Test
  void patternsAreWhatTheirNamesSay() {
    assertThat(differences(keys(AddressPattern.CONSECUTIVE))).containsOnly(1);
    assertThat(differences(keys(AddressOrder.DESCENDING))).containsOnly(-1);
    assertThat(differences(keys(AddressOrder.STRIDE_2))).containsOnly(2);
    assertThat(count(differences(keys(AddressOrder.GAPS)), 2)).isBetween(95L, 102L);
    assertThat(count(differences(keys(AddressOrder.GAPS)), 1)).isGreaterThan(9_800);
    assertThat(count(differences(keys(AddressOrder.DUPLICATES)), 1)).isBetween(9_750L, 9_850L);
    assertThat(count(differences(keys(AddressOrder.SHUFFLED_BLOCKS)), 1)).isBetween(9_950L, 9_990L);
    assertThat(count(differences(keys(AddressPattern.SCATTERED)), 1)).isLessThan(3);
    long[] nodes = keys(AddressOrder.NODES_BY_PORTS);
    assertThat(nodes[1] - nodes[0]).isEqualTo(1);
    assertThat(nodes[16] - nodes[0]).isEqualTo(1 << 16);
    long[] ports = keys(AddressOrder.PORTS_BY_NODES);
    assertThat(ports[1] - ports[0]).isEqualTo(1 << 16);
    assertThat(ports[COUNT / 16] - ports[0]).isEqualTo(1);
  }

  @Test
  void anOrderHasEachPositionOnce() {
    int[] order = Mixing.order(COUNT, 3);
    assertThat(Arrays.stream(order).sorted())
        .hasSize(COUNT)
        .startsWith(0, 1, 2)
        .endsWith(COUNT - 1);
    assertThat(Arrays.stream(order).distinct()).hasSize(COUNT);
    assertThat(order).isNotEqualTo(Arrays.stream(order).sorted().toArray());
  }

  private static long[] keys(AddressPattern pattern) {
    return LongStream.range(0, COUNT).map(pattern::key).toArray();
  }

  private static long[] keys(AddressOrder order) {
    return LongStream.range(0, COUNT).map(order.keys(COUNT)).toArray();
  }

  /** From node to node. */
  private static long[] differences(long[] keys) {
    return LongStream.range(1, COUNT)
        .map(i -> (keys[(int) i] >> 16) - (keys[(int) i - 1] >> 16))
        .toArray();
  }

  private static long count(long[] numbers, long wanted) {
    return LongStream.of(numbers).filter(number -> number == wanted).count();
  }
}
