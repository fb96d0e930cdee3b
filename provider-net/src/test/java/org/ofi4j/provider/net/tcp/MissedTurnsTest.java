// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueueAttributes;
import org.ofi4j.Progress;

/** A thread that is to make progress, while another one has the endpoint. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MissedTurnsTest {
  private static final CompletionQueueAttributes ONE =
      new CompletionQueueAttributes(1, CompletionFormat.UNSPECIFIED, null);

  /** So many take some 100 ms, and the endpoint is busy for all of that time. */
  private static final int HANDLES = 3_000_000;

  @RepeatedTest(3)
  @DisplayName("It does not go to sleep while completions wait in the endpoint that have room now")
  void completions() throws Exception {
    try (TcpRig from = new TcpRig(TcpRig.hints("127.0.0.1", Progress.MANUAL), ONE);
        TcpRig to = new TcpRig(TcpRig.hints("127.0.0.1", Progress.AUTO))) {
      long peer = from.insert(to);
      long[] handles = new long[HANDLES];
      Arrays.fill(handles, peer);
      // Nobody sleeps before, so that no earlier wake-up is left.
      from.endpoint.send(TcpRig.message("hello"), peer, null);
      while (from.queue.read() == null) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < 3; i++) {
        from.endpoint.send(TcpRig.message("in the queue, and behind it"), peer, i);
      }
      CountDownLatch begun = new CountDownLatch(1);
      Thread busy =
          Thread.ofPlatform()
              .start(() -> {
                begun.countDown();
                from.endpoint.warmUp(handles);
              });
      begun.await();
      Thread.sleep(10);
      long start = System.nanoTime();
      for (int i = 0; i < 3; i++) {
        assertThat(from.queue.read(TcpRig.SOON)).isNotNull();
      }
      // Not what was read when time was up, be it that of attempts to connect.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TcpRig.SOON.dividedBy(2));
      busy.join();
    }
  }
}
