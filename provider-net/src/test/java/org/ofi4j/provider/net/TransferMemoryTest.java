// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;

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
  void staysOpenWhileARegionOfItIs() {
    try (fabric;
        domain) {
      TransferMemory neighbour = domain.allocate(64);
      TransferMemory memory = domain.allocate(64);
      MemorySegment part = memory.segment().asSlice(60, 4);
      try (MemoryRegion region = domain.register(part, Access.REMOTE_WRITE)) {
        assertThatThrownBy(memory::close)
            .isInstanceOf(FabricBusyException.class)
            .hasMessageContaining(region.toString());
        assertThat(memory.segment().byteSize()).isEqualTo(64);
      }
      neighbour.close();
      memory.close();
      assertThat(memory.isOpen()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(Progress.class)
  void isKeptForOperationsThatWerePostedBeforeItWasClosed(Progress progress) throws Exception {
    int size = 400_000;
    int count = 20;
    Hints hints =
        Hints.reliable().withProvider("tcp").withSource("127.0.0.1:0").withProgress(progress);
    try (fabric;
        domain;
        Fabric ours = Fabrics.open(hints);
        Domain messages = ours.openDomain();
        AddressVector vector = messages.openAddressVector(VectorOptions.table());
        CompletionQueue sent = messages.openCompletionQueue();
        CompletionQueue received = messages.openCompletionQueue();
        ReliableEndpoint sender = messages.openReliableEndpoint(EndpointOptions.of(vector, sent));
        ReliableEndpoint receiver =
            messages.openReliableEndpoint(EndpointOptions.of(vector, received))) {
      long peer = vector.insert(receiver.address());
      MemorySegment[] into = new MemorySegment[count];
      for (int i = 0; i < count; i++) {
        TransferMemory memory = messages.allocate(size);
        into[i] = memory.segment();
        receiver.receive(memory.segment(), i);
        memory.close();
      }
      for (int i = 0; i < count; i++) {
        TransferMemory memory = messages.allocate(size);
        memory.segment().fill((byte) (i + 1));
        sender.send(memory.segment(), peer, i);
        memory.close();
      }
      for (int i = 0; i < count; i++) {
        // Either side may have to move the data.
        Completion each = received.read(Duration.ofMillis(10));
        for (int tries = 0; each == null && tries < 6_000; tries++) {
          var _ = sent.read(Duration.ZERO);
          each = received.read(Duration.ofMillis(10));
        }
        assertThat(each).isInstanceOf(Completion.Success.class);
        assertThat(into[i].get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) (i + 1));
      }
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
