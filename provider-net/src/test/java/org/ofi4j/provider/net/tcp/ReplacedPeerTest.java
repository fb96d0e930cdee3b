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
import org.ofi4j.provider.net.Rig;

/** Messages to and from a peer whose address was replaced. */
class ReplacedPeerTest {
  static List<Hints> kinds() {
    return Rig.tcpKinds();
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
    try (Rig ours = Rig.reliable(hints)) {
      long peer;
      try (Rig former = Rig.reliable(hints)) {
        peer = ours.insert(former);
        former.insert(ours);
        exchange(ours, peer, former);
      }
      try (Rig next = Rig.reliable(hints)) {
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
    try (Rig ours = Rig.reliable(hints);
        Rig former = Rig.reliable(hints);
        Rig next = Rig.reliable(hints)) {
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
    try (Rig ours = Rig.reliable(hints);
        Rig former = Rig.reliable(hints);
        Rig next = Rig.reliable(hints)) {
      long peer = ours.insert(former);
      former.insert(ours);
      next.insert(ours);
      direct(ours, peer, "before");
      ours.vector.replace(peer, next.name());
      direct(ours, peer, "after");
      ours.endpoint().receive(Rig.buffer(8), "of any");
      former.endpoint().inject(Rig.message("x"), 0);
      assertThat(ours.next(former).context()).isEqualTo("of any");
      next.endpoint().inject(Rig.message("y"), 0);
      Completion.Success taken = Rig.success(ours.next(next));
      assertThat(taken.context()).isEqualTo("after");
      assertThat(taken.source()).isEqualTo(peer);
      ours.endpoint().receive(Rig.buffer(8), "of any");
      next.endpoint().inject(Rig.message("z"), 0);
      assertThat(ours.next(next).context()).isEqualTo("of any");
      assertThat(ours.endpoint().cancel("before")).isTrue();
    }
  }

  private static void direct(Rig at, long source, String context) {
    at.endpoint()
        .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(source).context(context));
  }

  /** A message each way between an endpoint and one that has inserted it first. */
  private static void exchange(Rig ours, long peer, Rig other) throws InterruptedException {
    MemorySegment buffer = Rig.buffer(8);
    other.endpoint().receive(buffer, "there");
    ours.endpoint().inject(Rig.message("x"), peer);
    assertThat(other.next(ours).context()).isEqualTo("there");
    assertThat(Rig.text(buffer, 1)).isEqualTo("x");
    assertThat(source(ours, other)).isEqualTo(peer);
  }

  private static long source(Rig ours, Rig from) throws InterruptedException {
    ours.endpoint().receive(Rig.buffer(8), "source");
    from.endpoint().inject(Rig.message("y"), 0);
    Completion.Success next = Rig.success(ours.next(from));
    assertThat(next.context()).isEqualTo("source");
    return next.source();
  }
}
