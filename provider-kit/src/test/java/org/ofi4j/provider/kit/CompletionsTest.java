// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;

/** The end of operations: completions in a queue with little space, and counters. */
class CompletionsTest {
  private final MemorySegment memory = Arena.ofAuto().allocate(8);

  private static List<@Nullable Object> contexts(MemoryFabric fabric) {
    List<@Nullable Object> contexts = new ArrayList<>();
    for (Completion.Success next = fabric.queue.read(); next != null; next = fabric.queue.read()) {
      contexts.add(next.context());
    }
    return contexts;
  }

  @Test
  void operationsThatFindTheQueueFullAreReportedInOrderLater() {
    MemoryFabric fabric = MemoryFabric.open(Progress.MANUAL, 1);
    ReliableEndpoint endpoint = fabric.endpoint();
    MemoryFabric.Endpoint transport = fabric.transport();
    List<Object> posted = new ArrayList<>();
    while (fabric.sends().hasRoom()) {
      posted.add(posted.size());
      assertThat(endpoint.trySend(memory, 0, posted.getLast())).isTrue();
      transport.endSend();
    }
    for (int i = 0; i < MemoryFabric.SIZE; i++) {
      posted.add(posted.size());
      assertThat(endpoint.trySend(memory, 0, posted.getLast())).isTrue();
      transport.endSend();
    }

    assertThat(endpoint.trySend(memory, 0, "more"))
        .as("as many are kept as can be posted")
        .isFalse();
    assertThat(endpoint.statistics().sends().succeeded()).isEqualTo(posted.size());
    List<@Nullable Object> read = new ArrayList<>(contexts(fabric));
    fabric.sends().reportKept();
    while (read.size() < posted.size()) {
      read.addAll(contexts(fabric));
      fabric.sends().reportKept();
    }
    assertThat(read).isEqualTo(posted);
    assertThat(endpoint.trySend(memory, 0, "more")).isTrue();
    endpoint.close();
    fabric.closeAll();
  }

  @Test
  void selectiveQueueGetsSuccessesThatAreAskedForAndAllFailures() {
    MemoryFabric fabric = MemoryFabric.open();
    ReliableEndpoint endpoint =
        fabric.endpoint(
            EndpointOptions.none()
                .withVector(fabric.vector)
                .withSelectiveTransmitQueue(fabric.queue)
                .withReceiveQueue(fabric.queue));
    MemoryFabric.Endpoint transport = fabric.transport();
    SendRequest request = new SendRequest().memory(memory).destination(0);

    endpoint.trySend(request.context("not asked"));
    transport.endSend();
    endpoint.trySend(request.context("asked").reported(true));
    transport.endSend();
    assertThat(contexts(fabric)).containsExactly("asked");

    endpoint.tryInject(memory, 0);
    fabric.sends().fail(transport.sends.removeFirst(), Errno.EIO, "broken");
    Completion.Failure failure = fabric.queue.readError();
    assertThat(failure).isNotNull();
    assertThat(failure.errno()).isEqualTo(Errno.EIO);
    assertThat(endpoint.statistics().outstandingTransmits()).isZero();
    endpoint.close();
    fabric.closeAll();
  }

  @Test
  void directionWithoutAQueueIsCounted() {
    MemoryFabric fabric = MemoryFabric.open();
    Counter counter = fabric.domain.openCounter();
    ReliableEndpoint endpoint =
        fabric.endpoint(
            EndpointOptions.none()
                .withVector(fabric.vector)
                .withReceiveQueue(fabric.queue)
                .withCounters(counter, CounterFlag.SEND));

    assertThat(fabric.sends().tells(CounterFlag.SEND)).isTrue();
    assertThat(fabric.sends().tells(CounterFlag.WRITE)).isFalse();
    endpoint.trySend(memory, 0, "counted");
    fabric.transport().endSend();

    assertThat(counter.read()).isEqualTo(1);
    assertThat(contexts(fabric)).isEmpty();
    endpoint.close();
    counter.close();
    fabric.closeAll();
  }

  @Test
  void detachedCompletionsKeepOperationsUntilTheyHaveADestination() {
    MemoryFabric fabric = MemoryFabric.open();
    ReliableEndpoint endpoint = fabric.endpoint();
    endpoint.trySend(memory, 0, "kept");
    Completions detached = new Completions();
    detached.report(fabric.transport().sends.removeFirst());
    detached.reportKept();
    assertThat(contexts(fabric)).isEmpty();

    detached.reportTo(fabric.sends());
    detached.reportKept();

    assertThat(contexts(fabric)).containsExactly("kept");
    endpoint.close();
    fabric.closeAll();
  }
}
