// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** CNT: the attribute {@code count}. */
@ConformanceTest
class CountHintTests extends AddressTests {
  @Proves("AV-035")
  @Variants(types = VectorType.TABLE)
  void countNeverLimits(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment, VectorOptions.defaults().withCount(4));

    assertThat(variant.insert(vector, variant.list(1, 5)).fi()).containsExactly(0, 1, 2, 3, 4);
    assertThat(vector.options().count()).as("the hint is kept").isEqualTo(4);
    assertThat(vector.size()).isEqualTo(5);
  }

  @Proves("AV-035")
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 40, 62})
  void anyCountOpens(int power, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.DEFAULT, VectorOptions.table().withCount(1L << power));

    assertThat(vector.insert(List.of(a(1), a(2))).handles()).containsExactly(0, 1);
  }
}
