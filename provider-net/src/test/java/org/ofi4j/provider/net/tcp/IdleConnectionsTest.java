// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.SendRequest;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.Rig;

/** Connections that nobody needs are closed where that was asked for, and nobody notices. */
class IdleConnectionsTest {
  private static final int IDLE = 20;

  private static @Nullable TransportSecurity security(boolean secure, String owner) {
    return secure ? SecureConnectionsTest.of(owner) : null;
  }

  private static void exchange(Rig from, Rig to, long handle, int count)
      throws InterruptedException {
    List<MemorySegment> buffers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      buffers.add(Rig.buffer(16));
      to.endpoint().receive(buffers.get(i), i);
    }
    for (int i = 0; i < count; i++) {
      from.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("message " + i))
                  .destination(handle)
                  .context("sent")
                  .completes(i % 2 == 0 ? CompletionLevel.DEFAULT : CompletionLevel.DELIVERED));
    }
    for (int i = 0; i < count; i++) {
      Completion.Success received = Rig.success(to.next(from));
      assertThat(received.context()).isEqualTo(i);
      assertThat(Rig.text(buffers.get(i), received.length())).isEqualTo("message " + i);
      assertThat(from.next(to).context()).isEqualTo("sent");
    }
  }

  @ParameterizedTest
  @CsvSource({"MANUAL,false", "AUTO,false", "MANUAL,true", "AUTO,true"})
  @DisplayName("An idle connection is closed on both sides, and the next message opens another one")
  void closedAndOpened(Progress progress, boolean secure) throws Exception {
    // The other side has said nothing of idle connections.
    try (RejectedLines log = new RejectedLines();
        Rig left = Rig.idle(progress, IDLE, security(secure, "one"));
        Rig right = Rig.idle(progress, 0, security(secure, "two"))) {
      long toRight = left.vector.insert(right.endpoint().address());
      long toLeft = right.vector.insert(left.endpoint().address());
      for (int i = 0; i < 3; i++) {
        exchange(left, right, toRight, 5);
        TcpTable.awaitClosed(left, right);
        exchange(right, left, toLeft, 5);
        TcpTable.awaitClosed(left, right);
      }
      assertThat(left.events().read()).isNull();
      assertThat(right.events().read()).isNull();
      assertThat(log.await(0)).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"MANUAL", "AUTO"})
  @DisplayName("Both ends of a connection to oneself are closed, too")
  void toItself(Progress progress) throws Exception {
    try (Rig rig = Rig.idle(progress, IDLE, null)) {
      long self = rig.vector.insert(rig.endpoint().address());
      for (int i = 0; i < 3; i++) {
        MemorySegment buffer = Rig.buffer(16);
        rig.endpoint().receive(buffer, "received");
        rig.endpoint()
            .send(
                new SendRequest()
                    .memory(Rig.message("myself"))
                    .destination(self)
                    .context("sent")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(List.of(rig.next(rig).context(), rig.next(rig).context()))
            .containsExactlyInAnyOrder("received", "sent");
        assertThat(Rig.text(buffer, 6)).isEqualTo("myself");
        TcpTable.awaitClosed(rig, rig);
      }
      assertThat(rig.events().read()).isNull();
    }
  }

  private static void refused(Errno errno, String words, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  @Test
  @DisplayName("The idle timeout is a millisecond or more")
  void bounds() {
    ConnectionOptions defaults = ConnectionOptions.defaults();
    refused(
        Errno.EINVAL,
        "a millisecond or more",
        () -> defaults.withIdleTimeout(Duration.ofNanos(999_999)));
    refused(Errno.EINVAL, "a millisecond or more", () -> defaults.withIdleTimeout(Duration.ZERO));
    Duration ages = Duration.ofDays(1_000_000);
    try (Rig rig =
            Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO), defaults.withIdleTimeout(ages));
        ScalableEndpoint scalable =
            rig.domain.openScalableEndpoint(
                ScalableOptions.of(rig.vector).withConnections(defaults.withIdleTimeout(ages)))) {
      assertThat(scalable.address()).isNotEqualTo(rig.name());
    }
  }
}
