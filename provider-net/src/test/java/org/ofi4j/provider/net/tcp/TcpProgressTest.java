// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.provider.net.CountedSleeps;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** The domain's thread has little to do while endpoints over TCP wait for something. */
class TcpProgressTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /** Pauses grow, so that 16 attempts fit into the timeout at most; each takes some four turns. */
  private static final int MOST = 16 * 10;

  /** Longer than the longest pause between attempts. */
  private static final Duration PAUSE = Duration.ofNanos(TcpLimits.LONGEST_PAUSE).multipliedBy(2);

  private static final int FEW = 10;

  @Test
  @DisplayName("It sleeps between attempts to connect")
  void sleepsWhileConnecting() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO), TIMEOUT)) {
      CountedSleeps sleeps = new CountedSleeps(rig.queue);
      rig.endpoint().send(Rig.message("waits"), nobody(rig), "waits");
      assertThat(rig.next()).isInstanceOf(Completion.Failure.class);
      assertThat(sleeps.count()).isLessThan(MOST);
    }
  }

  @Test
  @DisplayName("It sleeps when an endpoint has closed that would try to connect later")
  void sleepsAfterClosing() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO), Duration.ofHours(1))) {
      CountedSleeps sleeps = new CountedSleeps(rig.queue);
      rig.endpoint().send(Rig.message("waits"), nobody(rig), "waits");
      while (sleeps.count() < FEW) {
        Thread.sleep(1);
      }
      rig.endpoint().close();
      int before = sleeps.count();
      // The time of the next attempt passes.
      assertThat(rig.queue.read(PAUSE)).isNull();
      assertThat(sleeps.count() - before).isLessThan(FEW);
    }
  }

  /** The handle of an address at which nobody listens any more. */
  private static long nobody(Rig rig) {
    try (ReliableEndpoint gone = rig.domain.openReliableEndpoint(rig.vector, rig.queue)) {
      return rig.vector.insert(gone.address());
    }
  }
}
