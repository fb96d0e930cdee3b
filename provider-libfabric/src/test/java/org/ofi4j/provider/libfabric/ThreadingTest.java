// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.Threading;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.libfabric.endpoint.LibfabricDomain;
import org.ofi4j.provider.libfabric.progress.LockedFabric;

/** Domains of applications that make one call at a time. */
class ThreadingTest {
  private static Hints hints() {
    return Rig.hints("shm").withThreading(Threading.DOMAIN).withProgress(Progress.MANUAL);
  }

  @Test
  void domainIsOfferedToHintsThatPromiseIt() throws Exception {
    CCompiler.needProvider("shm");
    try (Rig safe = new Rig(Rig.hints("shm"));
        Rig automatic = new Rig(hints().withProgress(Progress.AUTO));
        Rig one = new Rig(hints())) {
      assertThat(safe.domain.info().domain().threading()).isEqualTo(Threading.SAFE);
      assertThat(automatic.domain.info().domain().threading()).isEqualTo(Threading.SAFE);
      assertThat(one.domain.info().domain().threading()).isEqualTo(Threading.DOMAIN);
      ReliableEndpoint endpoint = one.endpoint();
      MemorySegment received = Rig.memory(8);
      endpoint.receive(received, "received");
      endpoint.send(Rig.memory(8), one.insert(endpoint), "sent");
      one.success("received");
      one.success("sent");
    }
  }

  @Test
  void secondThreadInsideIsRefusedAndTheFirstGoesOn() throws Exception {
    CCompiler.needProvider("shm");
    try (Rig rig = new Rig(hints())) {
      ReliableEndpoint endpoint = rig.endpoint();
      LockedFabric locked = ((LibfabricDomain) ((KitDomain) rig.domain).transport()).locked();
      locked.lock();
      locked.lock();
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(() -> endpoint.receive(Rig.memory(8), "refused"));
      assertThatThrownBy(other::get)
          .cause()
          .isInstanceOfSatisfying(
              FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining("Threading.DOMAIN");
      locked.unlock();
      assertThat(locked.tryLock()).isTrue();
      locked.unlock();
      locked.unlock();
      endpoint.receive(Rig.memory(8), "posted");
    }
  }
}
