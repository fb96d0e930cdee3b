// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.OperationFailedException;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Mistakes of applications: each throws or is reported, with words that name the mistake. */
class WrongProgramsTest {
  private static final int MESSAGES = 100;
  private static final String CHANGED = "was changed after the call that posted it";
  private static final CompletionQueueOptions ONE = CompletionQueueOptions.defaults().withSize(1);

  /** Of polls that move data, and deliver nothing. */
  private static final CompletionHandler IGNORED =
      new CompletionHandler() {
        @Override
        public void completed(
            @Nullable Object context, long flags, long length, long data, long tag, long source) {}

        @Override
        public void failed(Completion.Failure failure) {}
      };

  private static Hints tcp() {
    return Hints.reliable().withSource("127.0.0.1:0");
  }

  @Test
  @DisplayName("A receive that is too short for its message is no success for take")
  void takeThrowsTruncation() throws Exception {
    try (Rig rig = Rig.reliable(tcp().withCapabilities(Capability.MSG, Capability.TAGGED))) {
      ReliableEndpoint endpoint = rig.endpoint();
      long self = rig.insert(endpoint);
      endpoint.receiveTagged(MemorySegment.ofArray(new byte[10]), TagPattern.any(), "order");
      endpoint.injectTagged(
          new TaggedSendRequest().memory(MemorySegment.ofArray(new byte[1_000])).destination(self));
      assertThatThrownBy(() -> rig.queue.take(Rig.PATIENCE))
          .isInstanceOfSatisfying(
              OperationFailedException.class,
              failed -> assertThat(failed.errno()).isEqualTo(Errno.ETRUNC))
          .hasMessageContainingAll("order", "1000 bytes", "buffer of 10");
    }
  }

  @Test
  void takeThrowsTimeout() {
    try (Rig rig = Rig.reliable(tcp())) {
      rig.endpoint().receive(Rig.buffer(8), "nothing comes");
      assertThatThrownBy(() -> rig.queue.take(Duration.ZERO))
          .isInstanceOfSatisfying(
              FabricException.class,
              failed -> assertThat(failed.errno()).isEqualTo(Errno.ETIMEDOUT));
    }
  }

  @Test
  @DisplayName("A region that is left open keeps its domain from being closed, which names it")
  void forgottenRegionIsNamed() {
    assertThatThrownBy(
            () -> {
              try (Fabric fabric = Fabrics.open(tcp());
                  Domain domain = fabric.openDomain()) {
                domain.register(MemorySegment.ofArray(new byte[8]), Access.REMOTE_READ);
              }
            })
        .isInstanceOf(FabricBusyException.class)
        .hasMessageContaining("memory region 1 of 8 bytes");
  }

  @Test
  void forgottenRegionIsSuppressedIfTheBodyThrows() {
    assertThatThrownBy(
            () -> {
              try (Fabric fabric = Fabrics.open(tcp());
                  Domain domain = fabric.openDomain()) {
                domain.register(MemorySegment.ofArray(new byte[8]), Access.REMOTE_READ);
                throw new IllegalStateException("of the application");
              }
            })
        .isInstanceOf(IllegalStateException.class)
        .satisfies(thrown ->
            assertThat(thrown.getSuppressed()[0])
                .isInstanceOf(FabricBusyException.class)
                .hasMessageContaining("memory region 1 of 8 bytes"));
  }

  @Test
  @DisplayName("Of an address that was inserted twice, the second removal is the last")
  void sharedEntryIsRemovedByAsManyRemovals() {
    try (Rig rig = Rig.reliable(tcp())) {
      long first = rig.insert(rig.endpoint());
      long again = rig.insert(rig.endpoint());
      assertThat(again).isEqualTo(first);
      rig.vector.remove(first);
      assertThat(rig.vector.size()).isOne();
      rig.vector.remove(again);
      assertThat(rig.vector.size()).isZero();
      assertThatThrownBy(() -> rig.vector.remove(first)).hasMessageContaining("EINVAL");
    }
  }

  @DisplayName("One array is used for all messages: a success means that its number arrived")
  @ParameterizedTest
  @ValueSource(ints = {1, 8, 128, 2_048, 100_000})
  void reusedArrayIsFoundOverTcp(int longs) throws Exception {
    for (Progress progress : List.of(Progress.AUTO, Progress.MANUAL)) {
      try (Fabric fabric = Fabrics.open(tcp().withProgress(progress));
          Domain domain = fabric.openDomain();
          AddressVector vector = domain.openAddressVector(VectorOptions.table());
          CompletionQueue sent = domain.openCompletionQueue();
          CompletionQueue received = domain.openCompletionQueue();
          ReliableEndpoint sender = domain.openReliableEndpoint(vector, sent);
          ReliableEndpoint receiver = domain.openReliableEndpoint(vector, received)) {
        long peer = vector.insert(receiver.address());
        List<long[]> buffers = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
          buffers.add(new long[longs]);
          receiver.receive(MemorySegment.ofArray(buffers.getLast()), i);
        }
        long[] reused = new long[longs];
        for (int i = 0; i < MESSAGES; i++) {
          reused[0] = i;
          reused[longs - 1] = i;
          sender.send(MemorySegment.ofArray(reused), peer, (long) i);
        }
        List<Object> sound = new ArrayList<>();
        int unsent = 0;
        for (int ended = 0; ended < MESSAGES; ) {
          received.poll(IGNORED, 0);
          Completion completion = sent.read(Duration.ofMillis(1));
          if (completion instanceof Completion.Failure failure) {
            assertThat(failure.reason()).contains(CHANGED, "heapBase: [J");
            unsent += failure.reason().startsWith("the message was not sent") ? 1 : 0;
          } else if (completion != null) {
            sound.add(completion.context());
          }
          ended += completion == null ? 0 : 1;
        }
        List<Object> arrived = new ArrayList<>();
        for (int i = 0; i < MESSAGES - unsent; i++) {
          received.take(Rig.PATIENCE);
          arrived.add(buffers.get(i)[longs - 1]);
        }
        assertThat(arrived).containsAll(sound);
        if (longs * Long.BYTES <= TcpLimits.COPIED_SEND) {
          assertThat(sound).as("short messages are copied").hasSize(MESSAGES);
        }
      }
    }
  }

  @Test
  @DisplayName("A datagram that waits for room in the completion queue is not sent if it changes")
  void changedMessageIsFoundOverUdp() {
    try (Rig rig = new Rig(Rig.udp(), VectorOptions.table(), ONE)) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      long[] reused = {1};
      endpoint.send(MemorySegment.ofArray(reused), self, "first");
      reused[0] = 2;
      endpoint.send(MemorySegment.ofArray(reused), self, "second");
      reused[0] = 3;
      assertThat(Objects.requireNonNull(rig.queue.read()).context()).isEqualTo("first");
      rig.queue.poll(IGNORED, 0);
      assertThat(rig.queue.readError())
          .satisfies(failure -> {
            assertThat(failure.context()).isEqualTo("second");
            assertThat(failure.reason()).contains(CHANGED);
          });
    }
  }
}
