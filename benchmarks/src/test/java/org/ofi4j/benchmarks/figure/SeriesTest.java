// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SeriesTest {
  @Test
  void quartilesLieBetweenRounds() {
    Series series = new Series(List.of(5.0, 1.0, 4.0, 2.0, 3.0));
    assertThat(series.median()).isEqualTo(3);
    assertThat(series.least()).isEqualTo(1);
    assertThat(series.most()).isEqualTo(5);
    assertThat(series.lowerQuartile()).isEqualTo(2);
    assertThat(series.upperQuartile()).isEqualTo(4);
    assertThat(new Series(List.of(1.0, 2.0)).median()).isEqualTo(1.5);
    assertThat(series.rounds()).containsExactly(5.0, 1.0, 4.0, 2.0, 3.0);
    assertThatThrownBy(() -> new Series(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRatioTakesBothSides() {
    Series ours = new Series(List.of(2.0));
    Series udp = new Series(List.of(30.0));
    Row both = new Row(Quantity.LOOKUP, 10, Map.of(Side.OFI4J, ours, Side.UDP, udp));
    assertThat(both.ratio()).hasValue(15);
    assertThat(new Row(Quantity.LOOKUP, 10, Map.of(Side.OFI4J, ours)).ratio()).isEmpty();
  }

  @Test
  void aRoundIsTheMeanOfItsRepetitions() {
    Results results = new Results();
    Recorder recorder = new Recorder(results, Side.OFI4J, 10, 0);
    recorder.nanos(Quantity.LOOKUP, 100);
    recorder.nanos(Quantity.LOOKUP, 300);
    recorder.figure(Quantity.FIND_IN_LOOKUPS, 7);
    recorder.flush();
    recorder.nanos(Quantity.LOOKUP, 500);
    recorder.flush();
    assertThat(results.rows()).hasSize(2);
    assertThat(results.rows().getFirst().sides().get(Side.OFI4J).rounds())
        .containsExactly(20.0, 50.0);
    new Recorder(null, Side.UDP, 10, 0).flush();
    assertThat(results.rows()).hasSize(2);
  }
}
