// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;

/** Writers that take the lock again as soon as they have given it back keep nobody from it. */
@Tag("AV-041")
class FairTurnsTest {
  private static final StoreOptions OPTIONS = BusyWriter.OPTIONS;

  /** Many times of what each of the others takes, as a slow machine may be late for a turn. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final int TURNS = 4;

  @TempDir private Path directory;

  private NamedVector vector() {
    return NamedStores.vector(directory, OPTIONS, false, PATIENCE);
  }

  private static void takeTurns(NamedVector vector, NamedStore store) {
    for (int i = 0; i < TURNS; i++) {
      while (vector.writer() == 0) {
        Thread.onSpinWait();
      }
      store.begin();
      store.end();
    }
  }

  @Test
  void processesLetEachOtherIn() throws Exception {
    NamedVector vector = vector();
    try (NamedStore store = NamedStore.of(vector, OPTIONS)) {
      Process busy = Jvm.start(BusyWriter.class, (Path) null, List.of(directory.toString()));
      try (BufferedReader said = busy.inputReader()) {
        assertThat(said.readLine()).isEqualTo("ready");
        takeTurns(vector, store);
        busy.outputWriter().close();
        assertThat(busy.waitFor()).isZero();
      } finally {
        busy.destroyForcibly().waitFor();
      }
      assertThat(store.size()).isEqualTo(1);
    }
  }
}
