// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Capability;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;

/** What matching costs the collector. */
class MatchingAllocationTest {
  private static final int BATCH = 32;
  private static final int BATCHES = 400;
  private static final int NOTHING = 2;

  /** Which receives take the messages. */
  enum Order {
    POSTED_FIRST,
    EARLY_MESSAGES,
    INTO_ONE_BUFFER
  }

  private final MemorySegment message = Rig.buffer(512);
  private final MemorySegment buffer = Rig.buffer(BATCH * 512);
  private final TaggedSendRequest tagged = new TaggedSendRequest().memory(message);
  private final Completed completed = new Completed();
  private final ReceiveRequest several =
      new ReceiveRequest().memory(buffer).mode(ReceiveMode.SEVERAL_MESSAGES).context(this);
  private final TaggedReceiveRequest directed =
      new TaggedReceiveRequest().memory(buffer).context(this);
  private final TagPattern[] tags =
      IntStream.range(0, BATCH).mapToObj(TagPattern::exactly).toArray(TagPattern[]::new);

  @ParameterizedTest
  @ValueSource(strings = {"POSTED_FIRST", "EARLY_MESSAGES", "INTO_ONE_BUFFER"})
  @DisplayName(
      "Directed and tagged receives, early messages and shares of a buffer allocate nothing")
  void perMessage(Order order) throws Exception {
    Hints hints =
        Rig.tcp("127.0.0.1", Progress.MANUAL)
            .withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.MULTI_RECEIVE);
    try (Rig rig = Rig.reliable(hints)) {
      long self = rig.insert(rig);
      double each =
          Measured.allocatedForEach(
              NOTHING,
              BATCHES * BATCH,
              Thread.currentThread(),
              () -> run(rig, self, order, BATCHES));
      assertThat(each).as("bytes per message").isLessThan(NOTHING);
    }
  }

  private void run(Rig rig, long self, Order order, int batches) {
    for (int batch = 0; batch < batches; batch++) {
      completed.count = 0;
      if (order == Order.INTO_ONE_BUFFER) {
        rig.endpoint().receive(several.source(self));
        for (int i = 0; i < BATCH; i++) {
          rig.endpoint().inject(message, self);
        }
      } else {
        boolean early = order == Order.EARLY_MESSAGES;
        for (int step = 0; step < 2; step++) {
          for (int i = 0; i < BATCH; i++) {
            if ((step == 0) == early) {
              rig.endpoint().injectTagged(tagged.destination(self).tag(i));
            } else {
              rig.endpoint().receiveTagged(directed.source(self).pattern(tags[BATCH - 1 - i]));
            }
          }
          if (step == 0) {
            rig.queue.poll(completed, BATCH);
          }
        }
      }
      while (completed.count < BATCH) {
        rig.queue.poll(completed, BATCH);
      }
    }
  }
}
