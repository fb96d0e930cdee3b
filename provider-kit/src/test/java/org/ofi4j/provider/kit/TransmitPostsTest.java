// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.ReadRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;
import org.ofi4j.SendRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferFlag;
import org.ofi4j.WriteRequest;

/** The checks of sends, reads and writes, and the operations that a transmitter gets. */
class TransmitPostsTest {
  private static final long PEER = 5;

  private final MemoryFabric fabric = MemoryFabric.open();
  private final ReliableEndpoint endpoint = fabric.endpoint();
  private final MemorySegment memory = Arena.ofAuto().allocate(MemoryFabric.LONGEST + 1);

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

  private Operation posted() {
    return fabric.transport().sends.getLast();
  }

  @Test
  void transmitterGetsTheRequestOfATaggedSend() {
    TaggedSendRequest request =
        new TaggedSendRequest()
            .memory(memory.asSlice(0, 8))
            .destination(PEER)
            .tag(7)
            .data(9)
            .completes(CompletionLevel.DELIVERED)
            .context("context");

    assertThat(endpoint.trySendTagged(request)).isTrue();

    Operation send = posted();
    assertThat(send.what).isEqualTo(CounterFlag.SEND);
    assertThat(send.tagged).isTrue();
    assertThat(send.memory.length()).isEqualTo(8);
    assertThat(send.peer).isEqualTo(PEER);
    assertThat(send.tag).isEqualTo(7);
    assertThat(send.data).isEqualTo(9);
    assertThat(send.context).isEqualTo("context");
    assertThat(send.flags)
        .isEqualTo(Flag.maskOf(TransferFlag.REMOTE_CQ_DATA, TransferFlag.DELIVERY_COMPLETE));
    assertThat(send.silent).isFalse();
    assertThat(fabric.transport().lock.isLocked()).isFalse();
  }

  @Test
  void successOfAnInjectedMessageIsSilent() {
    assertThat(endpoint.tryInject(memory.asSlice(0, MemoryFabric.INJECTED), PEER)).isTrue();

    assertThat(posted().silent).isTrue();
    assertThat(posted().inject).isTrue();
  }

  @Test
  void messagesThatAreTooLongAreRefused() {
    refused(Errno.EMSGSIZE, () -> endpoint.trySend(memory, PEER, null));
    refused(
        Errno.EMSGSIZE,
        () -> endpoint.tryInject(memory.asSlice(0, MemoryFabric.INJECTED + 1), PEER));
    assertThat(fabric.transport().sends).isEmpty();
  }

  @Test
  void memoryThatWasFreedIsRefused() {
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(8);
    }

    refused(Errno.EINVAL, () -> endpoint.trySend(freed, PEER, null));
  }

  @Test
  void morePartsThanTheLimitAreRefused() {
    MemorySegment part = memory.asSlice(0, 1);

    assertThat(endpoint.trySend(new SendRequest().parts(part, part).destination(PEER))).isTrue();
    assertThat(posted().memory.length()).isEqualTo(2);
    refused(
        Errno.EINVAL,
        () -> endpoint.trySend(new SendRequest().parts(part, part, part).destination(PEER)));
  }

  @Test
  void nothingIsPostedWhileAsManyAreUnderWayAsThereMayBe() {
    MemorySegment message = memory.asSlice(0, 8);
    for (int i = 0; i < MemoryFabric.SIZE; i++) {
      assertThat(endpoint.trySend(message, PEER, i)).isTrue();
    }

    assertThat(endpoint.trySend(message, PEER, "more")).isFalse();
    fabric.transport().endSend();
    assertThat(endpoint.trySend(message, PEER, "more")).isTrue();
  }

  @Test
  void immediateDataThatTheFabricDoesNotCarryIsRefused() {
    MemoryFabric narrow = MemoryFabric.withDataSize(4);
    MemoryFabric without = MemoryFabric.withDataSize(0);
    ReliableEndpoint four = narrow.endpoint();
    ReliableEndpoint none = without.endpoint();
    SendRequest request = new SendRequest().memory(memory.asSlice(0, 8)).destination(PEER);

    assertThat(four.trySend(request.data(0xFFFF_FFFFL))).isTrue();
    refused(Errno.EINVAL, () -> four.trySend(request.data(1L << 32)));
    refused(Errno.ENOSYS, () -> none.trySend(request.data(0)));
    assertThat(none.trySend(request.withoutData())).isTrue();

    four.close();
    none.close();
    narrow.closeAll();
    without.closeAll();
  }

  @Test
  void transmitterGetsThePlaceOfAnAccess() {
    RemotePlace place = new RemotePlace(100, 20, 3);

    assertThat(
            endpoint.tryRead(
                new ReadRequest().memory(memory.asSlice(0, 8)).source(PEER).place(place, 12)))
        .isTrue();
    assertThat(posted().what).isEqualTo(CounterFlag.READ);
    assertThat(posted().remoteAddress).isEqualTo(112);
    assertThat(posted().remoteKey).isEqualTo(3);
    assertThat(posted().places).isNull();

    RemotePlace first = new RemotePlace(0, 5, 1);
    RemotePlace second = new RemotePlace(0, 3, 2);
    WriteRequest write = new WriteRequest().memory(memory.asSlice(0, 8)).destination(PEER);
    assertThat(endpoint.tryWrite(write.places(first, second))).isTrue();
    assertThat(posted().what).isEqualTo(CounterFlag.WRITE);
    assertThat(posted().places).containsExactly(first, second);
  }

  @Test
  void placesOfAnotherLengthAreRefused() {
    MemorySegment eight = memory.asSlice(0, 8);

    refused(Errno.EINVAL, () -> endpoint.tryWrite(eight, PEER, new RemotePlace(0, 7, 1), null));
    refused(
        Errno.EINVAL,
        () ->
            endpoint.tryWrite(
                new WriteRequest()
                    .memory(eight)
                    .destination(PEER)
                    .places(new RemotePlace(0, 8, 1), new RemotePlace(0, 1, 1))));
  }
}
