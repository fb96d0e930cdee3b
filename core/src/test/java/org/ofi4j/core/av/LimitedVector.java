// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.VectorOptions;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.FabricPeers;

/**
 * A vector whose memory can be made to run out.
 *
 * @param vector the vector
 * @param memory what holds its limit
 */
record LimitedVector(CoreAddressVector vector, ArenaMemory memory) {
  static LimitedVector open(VectorOptions options) {
    return open(TestDomain.of(TestInfo.defaults()), options);
  }

  static LimitedVector open(TestDomain domain, VectorOptions options) {
    ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
    return new LimitedVector(
        CoreAddressVector.open(
            domain, domain.lifetime(), options, FabricPeers.ANY, () -> memory, EntryStore::new),
        memory);
  }
}
