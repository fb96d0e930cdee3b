// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.ContextAttributes;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.TryAgainException;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Contexts of a scalable endpoint that differ from each other. */
@Tag("AV-212")
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ContextAttributesTest {
  private static final ContextAttributes ALL = ContextAttributes.defaults();

  /** Where nobody is. */
  private static final FabricAddress SILENT = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:1");

  private static Hints hints() {
    return TcpRig.hints("127.0.0.1", Progress.AUTO)
        .withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.RMA);
  }

  private static void refused(Errno errno, ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  private static ScalableRig.Context receiving(
      ScalableRig rig, int index, ContextAttributes attributes) {
    return rig.new Context(rig.endpoint.openReceiveContext(index, attributes), BindFlag.RECEIVE);
  }

  @Test
  @DisplayName("Each context takes as many operations as it was opened for, also when opened again")
  void sizes() throws Exception {
    try (ScalableRig rig = new ScalableRig(hints(), 2, 2)) {
      MemorySegment buffer = TcpRig.buffer(8);
      for (int size : new int[] {3, 5, 2}) {
        try (ScalableRig.Context few = receiving(rig, 1, ALL.withSize(size))) {
          assertThat(few.endpoint.info().receive().size()).isEqualTo(size);
          for (int i = 0; i < size; i++) {
            few.endpoint.receive(buffer, i);
          }
          assertThatThrownBy(() -> few.endpoint.receive(buffer, "too many"))
              .isInstanceOf(TryAgainException.class)
              .hasMessageContaining("full with " + size);
        }
      }
      try (ScalableRig.Context usual = receiving(rig, 0, ALL);
          ScalableRig.Context few =
              rig
              .new Context(
                  rig.endpoint.openTransmitContext(1, ALL.withSize(2)), BindFlag.TRANSMIT)) {
        assertThat(usual.endpoint.info().receive().size())
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
    try (ScalableRig rig = new ScalableRig(hints(), 2, 2)) {
      ContextAttributes plain = ALL.withCapabilities(Capability.MSG, Capability.RECEIVE);
      try (ScalableRig.Context all = receiving(rig, 0, ALL);
          ScalableRig.Context undirected = receiving(rig, 1, plain);
          ScalableRig.Context sends =
              rig
              .new Context(
                  rig.endpoint.openTransmitContext(0, ALL.withCapabilities(Capability.MSG)),
                  BindFlag.TRANSMIT)) {
        long self = rig.vector.insert(rig.name());
        long stranger = rig.vector.insert(SILENT);
        // With directed receives it would wait for the other one for ever.
        undirected.endpoint.receive(TcpRig.buffer(8), stranger, "any", 0);
        all.endpoint.receive(TcpRig.buffer(8), self, "directed", 0);
        sends.endpoint.inject(TcpRig.message("one"), ScalableRig.at(self, 1));
        sends.endpoint.inject(TcpRig.message("two"), self);
        assertThat(source(undirected.next(), "any")).isEqualTo(Handles.NOT_AVAILABLE);
        assertThat(source(all.next(), "directed")).isEqualTo(self);
        refused(
            Errno.EOPNOTSUPP,
            () -> sends.endpoint.read(TcpRig.buffer(8), self, 0, 1, "read"),
            "READ");
      }
      // What one has given up, the next one has again.
      try (ScalableRig.Context again = receiving(rig, 1, ALL);
          ScalableRig.Context sends =
              rig.new Context(rig.endpoint.openTransmitContext(0), BindFlag.TRANSMIT)) {
        long self = rig.vector.find(rig.name());
        again.endpoint.receive(TcpRig.buffer(8), self, "again", 0);
        sends.endpoint.inject(TcpRig.message("three"), ScalableRig.at(self, 1));
        assertThat(source(again.next(), "again")).isEqualTo(self);
      }
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
    try (ScalableRig rig = new ScalableRig(hints(), 2, 2)) {
      for (ContextAttributes wrong :
          new ContextAttributes[] {
            ALL.withCapabilities(Capability.MULTI_RECEIVE),
            ALL.withCapabilities(Capability.SEND),
            ALL.withSize(-1),
            ALL.withSize(TcpLimits.MAX_QUEUE_SIZE + 1),
            ALL.withCapabilities(Capability.REMOTE_READ)
          }) {
        refused(Errno.EINVAL, () -> rig.endpoint.openReceiveContext(0, wrong), "receive context");
      }
      refused(
          Errno.EINVAL,
          () -> rig.endpoint.openTransmitContext(0, ALL.withCapabilities(Capability.RECEIVE)),
          "transmit context");
      refused(
          Errno.EINVAL,
          () -> rig.endpoint.openTransmitContext(0, ALL.withSize(-1)),
          "must be 1 to");
      // None of that has taken the index.
      try (Endpoint one = rig.endpoint.openReceiveContext(0);
          Endpoint other = rig.endpoint.openTransmitContext(0)) {
        assertThat(one.info().has(Capability.SEND)).isFalse();
        assertThat(other.info().has(Capability.RECEIVE)).isFalse();
      }
    }
  }
}
