// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.TransferMemory;

/** Memory that a domain allocates for messages. */
class TransferMemoryTest {
  private final Fabric fabric = Fabrics.open(Hints.reliable().withProvider("tcp"));
  private final Domain domain = fabric.openDomain();

  @Test
  void isZeroedAndTheDomainStaysOpenWithIt() {
    try (fabric;
        domain) {
      TransferMemory memory = domain.allocate(10_000);
      MemorySegment segment = memory.segment();

      assertThat(segment.byteSize()).isEqualTo(10_000);
      assertThat(segment.isNative()).isTrue();
      assertThat(segment.mismatch(MemorySegment.ofArray(new byte[10_000]))).isEqualTo(-1);
      assertThat(memory.domain()).isSameAs(domain);
      assertThat(memory).hasToString("memory of 10000 bytes of " + domain);
      assertThatThrownBy(domain::close).isInstanceOf(FabricBusyException.class);

      memory.close();
      assertThat(segment.scope().isAlive()).isFalse();
      assertThatThrownBy(memory::segment)
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("is closed");
    }
  }

  @Test
  void hasAtLeastOneByte() {
    try (fabric;
        domain) {
      for (long bytes : new long[] {0, -1, Long.MIN_VALUE}) {
        assertThatThrownBy(() -> domain.allocate(bytes))
            .isInstanceOfSatisfying(
                FabricException.class,
                refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
            .hasMessageContaining("bytes " + bytes);
      }
      domain.allocate(1).close();
    }
  }

  @Test
  void canBeRegistered() {
    try (fabric;
        domain;
        TransferMemory memory = domain.allocate(8);
        MemoryRegion region = domain.register(memory.segment(), Access.REMOTE_WRITE)) {
      memory.segment().set(ValueLayout.JAVA_LONG, 0, 42);

      assertThat(region.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
      assertThat(region.place().length()).isEqualTo(8);
    }
  }

  @Test
  void moreThanThereIsCostsAnErrorAndNothingElse() {
    try (fabric;
        domain) {
      assertThatThrownBy(() -> domain.allocate(Long.MAX_VALUE / 2))
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.ENOMEM));
    }
  }
}
