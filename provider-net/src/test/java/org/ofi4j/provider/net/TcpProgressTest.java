// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.BindFlag;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;
import org.ofi4j.Progress;

/** The domain's thread has little to do while endpoints over TCP wait for something. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpProgressTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(1);

  /** A thread that never sleeps gets more than that in a second, on a crowded machine too. */
  private static final long LITTLE = TimeUnit.MILLISECONDS.toNanos(50);

  @Test
  @DisplayName("It sleeps between attempts to connect, and when the endpoint has closed meanwhile")
  @SuppressWarnings("try") // closing in the midst is what the test is about
  void sleepsWhileConnecting() throws Exception {
    FabricInfo info =
        Fabrics.info(
                Hints.latest()
                    .provider("tcp")
                    .address("127.0.0.1", "0")
                    .flags(InfoFlag.SOURCE)
                    .progress(Progress.AUTO))
            .getFirst();
    Set<Thread> before = threads();
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(AvAttributes.table());
        CompletionQueue queue = domain.openCompletionQueue();
        Endpoint gone = domain.openEndpoint();
        Endpoint endpoint = domain.openEndpoint()) {
      Thread mover =
          threads().stream().filter(each -> !before.contains(each)).findFirst().orElseThrow();
      for (Endpoint each : new Endpoint[] {gone, endpoint}) {
        each.bind(vector);
        each.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
        each.enable();
      }
      long nobody = vector.insert(gone.name());
      gone.close();
      endpoint.send(MemorySegment.ofArray(new byte[8]), nobody, "waits");
      // The pauses between attempts grow to their full length.
      Thread.sleep(600);
      assertThat(used(mover)).as("while it connects").isLessThan(LITTLE);

      endpoint.close();
      // The time of the next attempt passes.
      Thread.sleep(400);
      assertThat(used(mover)).as("after it has closed").isLessThan(LITTLE);
    }
  }

  private static Set<Thread> threads() {
    Set<Thread> found = new HashSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("ofi4j-progress-")) {
        found.add(thread);
      }
    }
    return found;
  }

  private static long used(Thread thread) throws InterruptedException {
    long before = Measured.processorTime(thread);
    TimeUnit.NANOSECONDS.sleep(LONG);
    return Measured.processorTime(thread) - before;
  }
}
