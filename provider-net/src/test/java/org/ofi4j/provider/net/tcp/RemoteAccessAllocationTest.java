// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;

/** Garbage of remote access, at both ends. */
class RemoteAccessAllocationTest {
  private static final int BATCH = 32;
  private static final int BATCHES = 1_000;
  private static final int NOTHING = 2;

  private final Completed completed = new Completed();

  @ParameterizedTest
  @ValueSource(strings = {"read", "read by request", "write", "write with data", "inject"})
  @DisplayName("Reads and writes up to 4 KB allocate nothing")
  void perOperation(String kind) {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA);
    try (Rig rig = Rig.reliable(hints);
        MemoryRegion region =
            rig.domain.register(Rig.buffer(8_192), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
      long self = rig.insert(rig);
      double each =
          Measured.allocatedForEach(
              NOTHING,
              BATCHES * BATCH,
              Thread.currentThread(),
              () -> run(rig, self, region.place(), kind, BATCHES));
      assertThat(each).as("bytes per operation").isLessThan(NOTHING);
    }
  }

  private void run(Rig rig, long self, RemotePlace place, String kind, int batches) {
    MemorySegment buffer = Rig.buffer(kind.equals("inject") ? 1_000 : 4_096);
    ReadRequest read = new ReadRequest().memory(buffer).source(self).context(this);
    WriteRequest write =
        new WriteRequest()
            .memory(buffer)
            .destination(self)
            .context(this)
            .completes(CompletionLevel.DELIVERED);
    for (int batch = 0; batch < batches; batch++) {
      completed.count = 0;
      int expected = kind.equals("write with data") ? 2 * BATCH : BATCH;
      for (int i = 0; i < BATCH; i++) {
        switch (kind) {
          case "read" -> rig.endpoint().read(buffer, self, place, this);
          case "read by request" -> rig.endpoint().read(read.place(place, i));
          case "write" -> rig.endpoint().write(buffer, self, place, this);
          case "write with data" -> rig.endpoint().write(write.place(place, i).data(i));
          default -> rig.endpoint().injectWrite(write.place(place, i).data(i));
        }
      }
      while (completed.count < expected) {
        rig.queue.poll(completed, BATCH);
      }
    }
  }
}
