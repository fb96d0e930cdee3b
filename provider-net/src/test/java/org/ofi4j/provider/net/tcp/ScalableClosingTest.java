// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.ContextOptions;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Closing a scalable endpoint while a context is opened, and contexts with something posted. */
class ScalableClosingTest {
  @Test
  @DisplayName("Who is about to open a context when the endpoint is closed finds it closed")
  void openedWhileClosing() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      ScalableEndpoint endpoint = rig.domain.openScalableEndpoint(rig.vector);
      AtomicReference<Throwable> ended = new AtomicReference<>();
      Thread opening =
          Thread.ofPlatform()
              .unstarted(() -> {
                try {
                  endpoint.openTransmitContext(0, ContextOptions.of(rig.queue));
                } catch (FabricException refused) {
                  ended.set(refused);
                }
              });
      // Opening and closing take its monitor: with that, the test says who comes first.
      synchronized (endpoint) {
        opening.start();
        while (opening.getState() != Thread.State.BLOCKED) {
          Thread.onSpinWait();
        }
        endpoint.close();
      }
      opening.join();
      assertThat(ended.get())
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
    }
  }

  @Test
  @DisplayName("What waits for others when its transmit context is closed goes out")
  void waitsForOthers() throws Exception {
    try (ScalableSide here = ScalableSide.open(hints(Progress.MANUAL), 1, 1);
        ScalableSide there = ScalableSide.open(hints(Progress.MANUAL), 1, 1)) {
      long handle = here.vector.insert(there.name());
      ScalableSide.Transmit closing = here.transmits.getFirst();
      there.post(0, "first");
      closing.endpoint.send(Rig.message("connects"), handle, "first");
      assertThat(there.receives.getFirst().next(here).context()).isEqualTo("first");
      there.post(0, "second");
      closing.endpoint.send(
          new SendRequest()
              .memory(Rig.message("waits"))
              .destination(handle)
              .context("second")
              .more(true));
      here.transmits.remove(closing);
      closing.close();
      assertThat(there.receives.getFirst().next().context()).isEqualTo("second");
    }
  }

  @Test
  @DisplayName("What stood behind a large message that could not be announced yet goes out")
  void stoodBehind() throws Exception {
    int announced = 255;
    try (ScalableSide here = ScalableSide.open(hints(Progress.AUTO), 3, 1);
        ScalableSide there = ScalableSide.open(hints(Progress.AUTO), 1, 1)) {
      long handle = here.vector.insert(there.name());
      MemorySegment large = Rig.buffer(EarlyMessages.defaults().announced() + 1);
      for (int i = 0; i < announced; i++) {
        here.transmits
            .get(0)
            .endpoint
            .sendTagged(
                new TaggedSendRequest()
                    .memory(large)
                    .destination(handle)
                    .tag(i)
                    .context("announced"));
      }
      ScalableSide.Transmit closing = here.transmits.get(1);
      closing.endpoint.sendTagged(
          new TaggedSendRequest()
              .memory(large)
              .destination(handle)
              .tag(announced)
              .context("not announced yet"));
      here.transmits.get(2).endpoint.send(Rig.message("behind"), handle, "behind");
      there.post(0, "behind");
      Thread.sleep(100);
      assertThat(there.receives.getFirst().poll()).isNull();
      here.transmits.remove(closing);
      closing.close();
      assertThat(there.receives.getFirst().next().context()).isEqualTo("behind");
    }
  }

  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress);
  }
}
