// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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

  /** Each of the lines of a jar could be a name, which a server would be asked for. */
  @Test
  void aBinarySourceIsRefusedBeforeItsNamesAreResolved() throws Exception {
    StringBuilder binary = new StringBuilder("10.1.1.1:5000\n");
    for (int i = 0; i < 10; i++) {
      binary.append("node").append(i).append(":5000\nPK\u0003\u0004\0\n");
    }
    VectorOptions options =
        PeerLoader.prefetching(
            VectorOptions.defaults(),
            host -> {
              throw new AssertionError(host + " is resolved");
            });
    PeerLoader.Listener listener =
        line -> {
          throw new AssertionError(line.toString());
        };
    InputStream in = new ByteArrayInputStream(binary.toString().getBytes(StandardCharsets.UTF_8));
    try (VectorSession session = VectorSession.open(Hints.latest(), options)) {
      assertThatThrownBy(() -> PeerLoader.load(session.vector(), in, "list", null, listener))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("list is no list of peers but a binary file");
      assertThat(session.vector().statistics().entries()).isZero();
    }
  }

  @Test
  void aFewControlCharactersAreBadLinesAsOthers() throws Exception {
    byte[] list =
        ("10.1.1.1:5000\n" + "a\0b:5000\n".repeat(9) + "10.1.1.2:5000\t# \u001B[1mbold\n")
            .getBytes(StandardCharsets.UTF_8);
    List<BadLine> bad = new ArrayList<>();
    try (VectorSession session = VectorSession.open(Hints.latest(), VectorOptions.defaults())) {
      LoadSummary summary =
          PeerLoader.load(session.vector(), new ByteArrayInputStream(list), "list", null, bad::add);
      assertThat(summary.inserted()).isEqualTo(2);
    }
    assertThat(bad).hasSize(9);
  }
}
