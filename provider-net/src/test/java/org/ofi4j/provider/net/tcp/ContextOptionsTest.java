// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.ContextOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransmitContext;
import org.ofi4j.TryAgainException;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Contexts of a scalable endpoint that differ from each other. */
@Tag("AV-212")
class ContextOptionsTest {
  /** Where nobody is. */
  private static final FabricAddress SILENT = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:1");

  private static Hints hints() {
    return Rig.tcp("127.0.0.1", Progress.AUTO)
        .withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.RMA);
  }

  private static void refused(Errno errno, ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  @Test
  @DisplayName("Each context takes as many operations as it was opened for, also when opened again")
  void sizes() throws Exception {
    try (ScalableSide rig = new ScalableSide(hints(), 2, 2)) {
      MemorySegment buffer = Rig.buffer(8);
      for (int size : new int[] {3, 5, 2}) {
        try (ScalableSide.Receive few = rig.new Receive(1, options -> options.withSize(size))) {
          assertThat(few.endpoint.info().receive().size()).isEqualTo(size);
          for (int i = 0; i < size; i++) {
            few.endpoint.receive(buffer, i);
          }
          assertThatThrownBy(() -> few.endpoint.receive(buffer, "too many"))
              .isInstanceOf(TryAgainException.class)
              .hasMessageContaining("receive queue is full");
        }
      }
      rig.openReceive(0);
      try (ScalableSide.Transmit few = rig.new Transmit(1, options -> options.withSize(2))) {
        assertThat(rig.receives.getFirst().endpoint.info().receive().size())
            .isEqualTo(rig.endpoint.info().receive().size());
        long nobody = rig.vector.insert(SILENT);
        few.endpoint.send(buffer, nobody, 1);
        few.endpoint.send(buffer, nobody, 2);
        assertThatThrownBy(() -> few.endpoint.send(buffer, nobody, 3))
            .isInstanceOf(TryAgainException.class);
      }
    }
  }

  @Test
  @DisplayName("A context does what its capabilities say, and others what theirs do")
  void capabilities() throws Exception {
    try (ScalableSide rig = new ScalableSide(hints(), 2, 2)) {
      ScalableSide.Receive all = rig.openReceive(0);
      try (ScalableSide.Receive undirected =
              rig
              .new Receive(
                  1, options -> options.withCapabilities(Capability.MSG, Capability.RECEIVE));
          ScalableSide.Transmit sends =
              rig.new Transmit(0, options -> options.withCapabilities(Capability.MSG))) {
        long self = rig.vector.insert(rig.name());
        long stranger = rig.vector.insert(SILENT);
        // With directed receives it would wait for the other one for ever.
        undirected.endpoint.receive(
            new ReceiveRequest().memory(Rig.buffer(8)).source(stranger).context("any"));
        all.endpoint.receive(
            new ReceiveRequest().memory(Rig.buffer(8)).source(self).context("directed"));
        sends.endpoint.inject(Rig.message("one"), ScalableSide.at(self, 1));
        sends.endpoint.inject(Rig.message("two"), self);
        assertThat(source(undirected.next(), "any")).isEqualTo(Handles.NOT_AVAILABLE);
        assertThat(source(all.next(), "directed")).isEqualTo(self);
        refused(
            Errno.EOPNOTSUPP,
            () -> sends.endpoint.read(Rig.buffer(8), self, new RemotePlace(0, 8, 1), "read"),
            "READ");
      }
      // What one has given up, the next one has again.
      ScalableSide.Receive again = rig.openReceive(1);
      long self = rig.vector.find(rig.name());
      again.endpoint.receive(
          new ReceiveRequest().memory(Rig.buffer(8)).source(self).context("again"));
      rig.openTransmit(0).endpoint.inject(Rig.message("three"), ScalableSide.at(self, 1));
      assertThat(source(again.next(), "again")).isEqualTo(self);
    }
  }

  private static long source(Completion ended, Object context) {
    assertThat(ended.context()).isEqualTo(context);
    assertThat(ended).isInstanceOf(Completion.Success.class);
    return ((Completion.Success) ended).source();
  }

  @Test
  @DisplayName("No more than the endpoint has, nothing of the other half, no size that cannot be")
  void refusals() {
    try (ScalableSide rig = new ScalableSide(hints(), 2, 2)) {
      ContextOptions all = ContextOptions.of(rig.queue);
      for (ContextOptions wrong :
          new ContextOptions[] {
            all.withCapabilities(Capability.MULTI_RECEIVE),
            all.withCapabilities(Capability.SEND),
            all.withSize(-1),
            all.withSize(TcpLimits.MAX_QUEUE_SIZE + 1),
            all.withCapabilities(Capability.REMOTE_READ)
          }) {
        refused(Errno.EINVAL, () -> rig.endpoint.openReceiveContext(0, wrong), "receive context");
      }
      refused(
          Errno.EINVAL,
          () -> rig.endpoint.openTransmitContext(0, all.withCapabilities(Capability.RECEIVE)),
          "transmit context");
      refused(
          Errno.EINVAL,
          () -> rig.endpoint.openTransmitContext(0, all.withSize(-1)),
          "must be 1 to");
      // None of that has taken the index.
      try (ReceiveContext one = rig.endpoint.openReceiveContext(0, all);
          TransmitContext other = rig.endpoint.openTransmitContext(0, all)) {
        assertThat(one.info().has(Capability.SEND)).isFalse();
        assertThat(other.info().has(Capability.RECEIVE)).isFalse();
      }
    }
  }
}
