// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.ReceiveRequest;

/** Messages to and from a peer whose address was replaced. */
class ReplacedPeerTest {
  static List<Hints> kinds() {
    return TcpRig.kinds();
  }

  static List<Hints> directed() {
    return kinds().stream()
        .map(each -> each.withMoreCapabilities(Capability.DIRECTED_RECEIVE))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A peer that was started again at another port has the handle that it had")
  void restartsElsewhere(Hints hints) throws Exception {
    try (TcpRig ours = new TcpRig(hints)) {
      long peer;
      try (TcpRig former = new TcpRig(hints)) {
        peer = ours.insert(former);
        former.insert(ours);
        exchange(ours, peer, former);
      }
      try (TcpRig next = new TcpRig(hints)) {
        next.insert(ours);
        ours.vector.replace(peer, next.name());
        exchange(ours, peer, next);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("The connection of the former address stays, and what comes over it is a stranger's")
  void bothLive(Hints hints) throws Exception {
    try (TcpRig ours = new TcpRig(hints);
        TcpRig former = new TcpRig(hints);
        TcpRig next = new TcpRig(hints)) {
      long peer = ours.insert(former);
      former.insert(ours);
      next.insert(ours);
      exchange(ours, peer, former);
      ours.vector.replace(peer, next.name());
      exchange(ours, peer, next);
      assertThat(source(ours, former)).isEqualTo(Handles.NOT_AVAILABLE);
      ours.vector.replace(peer, former.name());
      exchange(ours, peer, former);
      assertThat(source(ours, next)).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  @ParameterizedTest
  @MethodSource("directed")
  @DisplayName(
      "A receive directed at the handle takes nothing any more; the next one takes from it")
  void directedReceives(Hints hints) throws Exception {
    try (TcpRig ours = new TcpRig(hints);
        TcpRig former = new TcpRig(hints);
        TcpRig next = new TcpRig(hints)) {
      long peer = ours.insert(former);
      former.insert(ours);
      next.insert(ours);
      direct(ours, peer, "before");
      ours.vector.replace(peer, next.name());
      direct(ours, peer, "after");
      ours.endpoint.receive(TcpRig.buffer(8), "of any");
      former.endpoint.inject(TcpRig.message("x"), 0);
      assertThat(ours.next(former).context()).isEqualTo("of any");
      next.endpoint.inject(TcpRig.message("y"), 0);
      Completion taken = ours.next(next);
      assertThat(taken.context()).isEqualTo("after");
      assertThat(taken.source()).isEqualTo(peer);
      ours.endpoint.receive(TcpRig.buffer(8), "of any");
      next.endpoint.inject(TcpRig.message("z"), 0);
      assertThat(ours.next(next).context()).isEqualTo("of any");
      assertThat(ours.endpoint.cancel("before")).isTrue();
    }
  }

  private static void direct(TcpRig at, long source, String context) {
    at.endpoint.receive(
        new ReceiveRequest().memory(TcpRig.buffer(8)).source(source).context(context));
  }

  /** A message each way between an endpoint and one that has inserted it first. */
  private static void exchange(TcpRig ours, long peer, TcpRig other) throws InterruptedException {
    MemorySegment buffer = TcpRig.buffer(8);
    other.endpoint.receive(buffer, "there");
    ours.endpoint.inject(TcpRig.message("x"), peer);
    assertThat(other.next(ours).context()).isEqualTo("there");
    assertThat(TcpRig.text(buffer, 1)).isEqualTo("x");
    assertThat(source(ours, other)).isEqualTo(peer);
  }

  private static long source(TcpRig ours, TcpRig from) throws InterruptedException {
    ours.endpoint.receive(TcpRig.buffer(8), "source");
    from.endpoint.inject(TcpRig.message("y"), 0);
    Completion next = ours.next(from);
    assertThat(next.context()).isEqualTo("source");
    return next.source();
  }
}
