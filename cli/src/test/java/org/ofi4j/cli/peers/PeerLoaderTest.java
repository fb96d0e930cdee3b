// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;

class PeerLoaderTest {
  /** A name server that answers only when somebody knows for whom the list waits. */
  @Test
  void theListenerKnowsOfANameBeforeItIsWaitedFor() throws Exception {
    CountDownLatch known = new CountDownLatch(1);
    List<String> waited = new ArrayList<>();
    VectorOptions options =
        PeerLoader.prefetching(
            VectorOptions.defaults(),
            host -> {
              known.await();
              return List.of(InetAddress.ofLiteral("10.1.1.9"));
            });
    PeerLoader.Listener listener =
        new PeerLoader.Listener() {
          @Override
          public void bad(BadLine line) {
            throw new AssertionError(line.toString());
          }

          @Override
          public void resolving(String host, long line) {
            waited.add(host + " " + line);
            known.countDown();
          }
        };
    byte[] list = "10.1.1.1:5000\nnode17:5000\n".getBytes(StandardCharsets.UTF_8);
    try (VectorSession session = VectorSession.open(Hints.latest(), options)) {
      LoadSummary summary =
          PeerLoader.load(session.vector(), new ByteArrayInputStream(list), "list", null, listener);
      assertThat(summary.inserted()).isEqualTo(2);
    }
    assertThat(waited).containsExactly("node17 2");
  }
}
