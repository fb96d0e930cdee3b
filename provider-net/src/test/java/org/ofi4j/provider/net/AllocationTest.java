// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.OperationFailedException;
import org.ofi4j.Progress;

/** What a datagram costs the collector. */
class AllocationTest {
  private static final int MESSAGES = 10_000;

  /** Less than the smallest object. */
  private static final double NOTHING = 8;

  /** The JDK takes 120 bytes for the address of a sender other than the one before. */
  private static final double MOST_IPV4 = 128;

  /** The JDK takes 192 bytes here. */
  private static final double MOST_IPV6 = 200;

  private static final CompletionHandler IGNORE =
      new CompletionHandler() {
        @Override
        public void completed(
            @Nullable Object context, long flags, long length, long data, long tag, long source) {}

        @Override
        public void failed(Completion.Failure failure) {
          throw new OperationFailedException(failure);
        }
      };

  private final MemorySegment message = Rig.buffer(64);
  private final MemorySegment buffer = Rig.buffer(64);

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#nodes")
  @DisplayName("Messages of one sender allocate nothing, of changing senders what the JDK does")
  void perDatagram(String node, TestReporter reporter) {
    try (Rig rig = new Rig(Rig.udp(node).withProgress(Progress.MANUAL))) {
      DatagramEndpoint to = rig.datagrams();
      DatagramEndpoint[] from = {
        rig.datagrams(), rig.datagrams(), rig.datagrams(), rig.datagrams()
      };
      long handle = rig.insert(to);
      for (DatagramEndpoint each : from) {
        rig.insert(each);
      }
      double most = node.contains(":") ? MOST_IPV6 : MOST_IPV4;
      Thread self = Thread.currentThread();
      double one = bytesForEach(NOTHING, self, rig, to, handle, from[0]);
      double changing = bytesForEach(most, self, rig, to, handle, from);
      reporter.publishEntry(
          node, "one sender: " + one + " B/datagram, changing senders: " + changing);
      assertThat(one).isLessThan(NOTHING);
      assertThat(changing).isLessThan(most);
    }
  }

  @Test
  @DisplayName("The thread that makes automatic progress allocates nothing for a datagram")
  void automatic(TestReporter reporter) {
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.AUTO))) {
      DatagramEndpoint to = rig.datagrams();
      long handle = rig.insert(to);
      DatagramEndpoint from = rig.datagrams();
      rig.insert(from);
      // The JDK's selector boxes the descriptor of each channel that is ready or waits for
      // something
      // else; the pom has Integer's cache hold the boxes.
      Thread mover = rig.mover();
      double each = bytesForEach(NOTHING, mover, rig, to, handle, from);
      reporter.publishEntry("automatic", each + " B/datagram");
      assertThat(each).isLessThan(NOTHING);
    }
  }

  private double bytesForEach(
      double enough,
      Thread thread,
      Rig rig,
      DatagramEndpoint to,
      long handle,
      DatagramEndpoint... from) {
    return Measured.allocatedForEach(
        enough, MESSAGES, thread, () -> exchange(rig, to, handle, from));
  }

  private void exchange(Rig rig, DatagramEndpoint to, long handle, DatagramEndpoint[] from) {
    for (int i = 0; i < MESSAGES; i++) {
      to.receive(buffer, buffer);
      from[i % from.length].send(message, handle, message);
      int taken = 0;
      while (taken < 2) {
        taken += rig.queue.poll(IGNORE, 2);
      }
    }
  }
}
