// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.endpoint.Staging;

/** The lock of an endpoint is given back, whatever happens before. */
class EndpointLockTest {
  /** An endpoint that does nothing but what is planted. */
  private static final class Planted implements TcpEndpoint.Work {
    private boolean failing = true;
    private int afterwards;

    @Override
    public Connection.Owner connections() {
      return new IdleOwner();
    }

    @Override
    public void afterwards() {
      afterwards++;
      if (failing) {
        throw new OutOfMemoryError("planted");
      }
    }
  }

  @Test
  void heartbeatThreadDoesWhatHasToWaitForTheEndOfItsTurn() {
    Planted planted = new Planted();
    planted.failing = false;
    FabricAddress name = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:1");
    TcpEndpoint endpoint =
        new TcpEndpoint(name, planted, Stream.empty(), null, new Staging.Pool(), null);
    List<Integer> before = new ArrayList<>();
    endpoint.beat(() -> before.add(planted.afterwards));
    assertThat(before).containsExactly(0);
    assertThat(planted.afterwards).isOne();
  }

  @Test
  @DisplayName("Memory that runs out before the lock is given back leaves the endpoint usable")
  void lockIsGivenBack() throws Exception {
    Planted planted = new Planted();
    FabricAddress name = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:1");
    TcpEndpoint endpoint =
        new TcpEndpoint(name, planted, Stream.empty(), null, new Staging.Pool(), null);
    endpoint.lock();
    assertThatThrownBy(endpoint::unlock).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(endpoint::progress).isInstanceOf(OutOfMemoryError.class);

    planted.failing = false;
    CompletableFuture<Boolean> other =
        CompletableFuture.supplyAsync(() -> {
          endpoint.lock();
          endpoint.unlock();
          return true;
        });
    assertThat(other.get()).isTrue();
  }
}
