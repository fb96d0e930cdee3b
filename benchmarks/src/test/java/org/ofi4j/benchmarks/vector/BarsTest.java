// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;

class BarsTest {
  private static final Quantity INSERT =
      Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true);

  @Test
  void withoutFiguresNothingIsMetOrMissed() {
    assertThat(new Bars(List.of()).all())
        .hasSizeGreaterThan(10)
        .allMatch(bar -> bar.met() == null && bar.size() == 0);
  }

  @Test
  void aMillionPeersCount() {
    List<Row> rows =
        List.of(
            row(INSERT, 64_000, 10, 100), row(INSERT, 1_000_000, 10, 151), row(INSERT, 9, 1, 1));
    assertThat(bar(rows, INSERT).met()).isTrue();
    assertThat(bar(rows, INSERT).measured()).isEqualTo(15.1);
    assertThat(bar(rows, INSERT).size()).isEqualTo(1_000_000);
    assertThat(bar(rows.subList(0, 1), INSERT).met()).isFalse();
  }

  @Test
  void timesWithMorePeersAreNoMatterOfBars() {
    Quantity held = Quantity.held(AddressPattern.CONSECUTIVE, Family.IPV4);
    List<Row> rows =
        List.of(row(Quantity.LOOKUP, 16_000_000, 30, 0), row(held, 16_000_000, 0.1, 0));
    assertThat(bar(rows, Quantity.LOOKUP).met()).isNull();
    assertThat(bar(rows, held).met()).isTrue();
  }

  @Test
  void memoryOfFewPeersIsNoMatterOfBars() {
    Quantity live = Quantity.live(AddressPattern.SCATTERED, Family.IPV4);
    assertThat(bar(List.of(row(live, 1000, 30, 0)), live).met()).isNull();
    assertThat(bar(List.of(row(live, 64_000, 15, 0)), live).met()).isFalse();
  }

  private static Bar bar(List<Row> rows, Quantity quantity) {
    return new Bars(rows)
        .all().stream().filter(bar -> bar.quantity().equals(quantity)).findFirst().orElseThrow();
  }

  private static Row row(Quantity quantity, long peers, double ours, double udp) {
    Series series = new Series(List.of(ours));
    return new Row(
        quantity,
        peers,
        udp == 0
            ? Map.of(Side.OFI4J, series)
            : Map.of(Side.OFI4J, series, Side.UDP, new Series(List.of(udp))));
  }
}
