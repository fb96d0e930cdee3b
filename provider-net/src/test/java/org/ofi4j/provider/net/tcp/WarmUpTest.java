// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.provider.net.FreePort;
import org.ofi4j.provider.net.Rig;

/** Connections that are opened before anything is sent, and how long sends wait for one. */
class WarmUpTest {
  private static Rig rig() {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
  }

  private static void fails(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno));
  }

  @Test
  void connectsWithoutASend() throws Exception {
    try (Rig rig = rig();
        RawPeer first = new RawPeer();
        RawPeer second = new RawPeer()) {
      long toFirst = rig.vector.insert(first.name());
      long toSecond = rig.vector.insert(second.name());
      rig.endpoint().warmUp(toFirst, toSecond, toFirst);
      try (Socket one = first.accept(7);
          Socket two = second.accept(8)) {
        rig.endpoint().inject(Rig.message("second"), toSecond);
        rig.endpoint().inject(Rig.message("first"), toFirst);
        assertThat(RawPeer.read(two, 22)).endsWith("second".getBytes());
        assertThat(RawPeer.read(one, 21)).endsWith("first".getBytes());
        assertThat(rig.next(Duration.ZERO)).isNull();
      }
    }
  }

  /** The first connection is refused; a peer that comes late is connected to all the same. */
  @Test
  void isTriedAgain() throws Exception {
    try (Rig rig = rig();
        RawPeer late = new RawPeer()) {
      rig.endpoint().warmUp(rig.vector.insert(late.name()));
      try (Socket refused = late.acceptSilently()) {
        RawPeer.read(refused, 40);
        refused.getOutputStream().write(late.message(6, late.listener.getLocalPort(), 7));
      }
      try (Socket accepted = late.accept(7)) {
        assertThat(accepted.isConnected()).isTrue();
      }
    }
  }

  @Test
  void reportsNothing() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO), Duration.ofMillis(300))) {
      // The kernel gives no other test this port, as it might give one that was closed.
      InetSocketAddress unused = new InetSocketAddress("127.0.0.1", FreePort.find());
      long handle = rig.vector.insert(FabricAddress.of(unused));
      rig.endpoint().warmUp(handle);
      assertThat(rig.next(Duration.ofMillis(450))).isNull();
      rig.endpoint().send(Rig.message("x"), handle, "sent");
      assertThat(rig.next())
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED));
    }
  }

  @Test
  void aHandleWithoutAnEntryConnectsToNobody() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.listener.setSoTimeout(1);
      long handle = rig.vector.insert(peer.name());
      fails(Errno.EINVAL, () -> rig.endpoint().warmUp(handle, Handles.NOT_AVAILABLE));
      assertThatThrownBy(peer.listener::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void timesAreChecked() {
    ConnectionOptions options = ConnectionOptions.defaults();
    fails(Errno.EINVAL, () -> options.withConnectTimeout(Duration.ZERO));
    fails(Errno.EINVAL, () -> options.withConnectTimeout(Duration.ofMillis(-1)));
    ConnectionOptions patient = options.withConnectTimeout(Duration.ofDays(1_000_000));
    try (Rig rig = rig();
        ReliableEndpoint endpoint =
            rig.domain.openReliableEndpoint(
                EndpointOptions.of(rig.vector, rig.queue).withConnections(patient))) {
      assertThat(endpoint.isOpen()).isTrue();
    }
  }
}
