package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.ScalableEndpoint;

/** A scalable endpoint that is enabled and closed at the same time. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ScalableClosingTest {
  @Test
  @DisplayName("Who is about to enable it when it is closed finds it closed, and opens no socket")
  void enabledWhileClosing() throws Exception {
    try (TcpRig rig = new TcpRig(TcpRig.hints("127.0.0.1", Progress.MANUAL))) {
      ScalableEndpoint endpoint = rig.domain.openScalableEndpoint();
      endpoint.bind(rig.vector);
      AtomicReference<Throwable> ended = new AtomicReference<>();
      Thread enabling =
          Thread.ofPlatform()
              .unstarted(() -> {
                try {
                  endpoint.enable();
                } catch (FabricException refused) {
                  ended.set(refused);
                }
              });
      // Opening and closing take its monitor: with that, the test says who comes first.
      synchronized (endpoint) {
        enabling.start();
        while (enabling.getState() != Thread.State.BLOCKED) {
          Thread.onSpinWait();
        }
        endpoint.close();
      }
      enabling.join();
      assertThat(ended.get())
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
    }
  }
}
