// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;

/** The checks of receives, and the operations that a receiver gets. */
class ReceivePostsTest {
  private final MemoryFabric fabric = MemoryFabric.open();
  private final ReliableEndpoint endpoint = fabric.endpoint();
  private final MemorySegment buffer = Arena.ofAuto().allocate(16);

  @AfterEach
  void close() {
    endpoint.close();
    fabric.closeAll();
  }

  private static void refused(Errno errno, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, refusal -> assertThat(refusal.errno()).isEqualTo(errno));
  }

  @Test
  void receiverGetsTheRequestOfATaggedReceive() {
    TagPattern pattern = TagPattern.exactly(0x70).withIgnored(0xF);

    assertThat(endpoint.tryReceiveTagged(buffer, pattern, "context")).isTrue();

    Operation receive = fabric.transport().receives.getLast();
    assertThat(receive.what).isEqualTo(CounterFlag.RECEIVE);
    assertThat(receive.tagged).isTrue();
    assertThat(receive.tag).isEqualTo(0x70);
    assertThat(receive.ignore).isEqualTo(0xF);
    assertThat(receive.memory.length()).isEqualTo(16);
    assertThat(receive.peer).isEqualTo(Handles.UNSPECIFIED);
    assertThat(receive.context).isEqualTo("context");
    assertThat(fabric.transport().lock.isLocked()).isFalse();
  }

  @Test
  void memoryThatCannotBeWrittenIsRefused() {
    refused(Errno.EINVAL, () -> endpoint.tryReceive(buffer.asReadOnly(), null));
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(8);
    }
    refused(Errno.EINVAL, () -> endpoint.tryReceive(freed, null));
    refused(
        Errno.EINVAL,
        () -> endpoint.tryReceive(new ReceiveRequest().parts(buffer, buffer, buffer)));
    assertThat(fabric.transport().receives).isEmpty();
  }

  @Test
  void severalMessagesForABufferNeedTheCapability() {
    refused(
        Errno.EBADFLAGS,
        () ->
            endpoint.tryReceive(
                new ReceiveRequest().memory(buffer).mode(ReceiveMode.SEVERAL_MESSAGES)));
  }

  @Test
  void nothingIsPostedWhileAsManyArePostedAsThereMayBe() {
    for (int i = 0; i < MemoryFabric.SIZE; i++) {
      assertThat(endpoint.tryReceive(buffer, i)).isTrue();
    }

    assertThat(endpoint.tryReceive(buffer, "more")).isFalse();
  }

  @Test
  void receiverWithdrawsTheReceiveOfAContext() {
    endpoint.tryReceive(buffer, "first");

    assertThat(endpoint.cancel("second")).isFalse();
    assertThat(endpoint.cancel("first")).isTrue();
    assertThat(fabric.transport().receives).isEmpty();
  }
}
