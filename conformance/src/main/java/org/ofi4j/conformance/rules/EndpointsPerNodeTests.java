// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** EPN: the attribute {@code ep_per_node}. */
@ConformanceTest
class EndpointsPerNodeTests {
  @Proves("AV-036")
  @Variants(types = VectorType.TABLE)
  void endpointsPerNodeIsHintOnly(Variant variant, ConformanceEnvironment environment) {
    for (long hint : new long[] {0, 1, 64, Integer.MAX_VALUE, Long.MAX_VALUE}) {
      AddressVector vector =
          variant.open(environment, VectorOptions.defaults().withEndpointsPerNode(hint));

      assertThat(vector.options().endpointsPerNode()).isEqualTo(hint);
      assertThat(variant.insert(vector, variant.list(1, 3)).fi()).containsExactly(0, 1, 2);
      Expect.entries(vector, variant.list(1, 3));
    }
  }
}
