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
        .hasSizeGreaterThan(15)
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
  void theMachinesInterruptionsAreNotTheVectors() {
    Row worst = row(Quantity.GROWTH_WORST, 100, 3_000_000, 0);
    assertThat(
            bar(List.of(worst, row(Quantity.GROWTH_CONTROL, 100, 2_500_000, 0)), worst.quantity())
                .met())
        .isTrue();
    assertThat(
            bar(List.of(worst, row(Quantity.GROWTH_CONTROL, 100, 1_500_000, 0)), worst.quantity())
                .met())
        .isFalse();
  }

  @Test
  void churnMustNotGoOnGrowing() {
    assertThat(churn(9.0)).isTrue();
    assertThat(churn(9.0, 9.0)).isTrue();
    assertThat(churn(8.0, 9.0, 9.0, 9.0)).isTrue();
    assertThat(churn(8.0, 9.0, 9.0, 9.2)).isFalse();
    assertThat(churn(9.0, 9.2)).isFalse();
  }

  @Test
  void manyExchangesMustNotMakeTheNextOneDearer() {
    for (Quantity quantity : List.of(Quantity.EXCHANGE_TIME, Quantity.EXCHANGE_MEMORY)) {
      assertThat(bar(List.of(row(quantity, 2048, 105, 0)), quantity).met()).isTrue();
      assertThat(bar(List.of(row(quantity, 2048, 106, 0)), quantity).met()).isFalse();
    }
  }

  private static boolean churn(Double... held) {
    Series rounds = new Series(List.of(held), true);
    Row row = new Row(Quantity.CHURN_HELD, 5, Map.of(Side.OFI4J, rounds));
    return bar(List.of(row), row.quantity()).met();
  }

  private static Bar bar(List<Row> rows, Quantity quantity) {
    return new Bars(rows)
        .all().stream().filter(bar -> bar.quantity().equals(quantity)).findFirst().orElseThrow();
  }

  private static Row row(Quantity quantity, long peers, double ours, double udp) {
    Series series = new Series(List.of(ours), true);
    return new Row(
        quantity,
        peers,
        udp == 0
            ? Map.of(Side.OFI4J, series)
            : Map.of(Side.OFI4J, series, Side.UDP, new Series(List.of(udp), true)));
  }
}
