// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.av.VectorFixture;
import org.ofi4j.core.mapped.HaltedTable.Deed;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;

/**
 * Processes halt themselves behind any of their stores, while others are there, one who is stopped,
 * or nobody. {@link NamedStoreDeathsTest} has all combinations, of deaths that cost less.
 */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreHaltTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @TempDir private Path directory;

  @Test
  void processesHaltThemselves() throws Exception {
    halt(2);
  }

  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void manyProcessesHaltThemselves() throws Exception {
    halt(Integer.getInteger("ofi4j.halts", 300));
  }

  private void halt(int times) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    Change[] changes = Change.values();
    try (HaltedOther other = new HaltedOther()) {
      for (int i = 0; i < times; i++) {
        Change change = changes[random.nextInt(changes.length)];
        int step = random.nextInt(1, 60);
        String what = change + " at step " + step + "; repeat with -Dofi4j.seed=" + SEED;
        View after = after(directory.resolve("after" + i), change);
        Path vector = Files.createDirectory(directory.resolve("vector" + i));
        try (HaltedTable table = new HaltedTable(vector, change)) {
          View before = table.look();
          int exit = dies(vector, change, step, false);
          String said = Files.readString(vector.resolve("said"));
          assertThat(exit).as("%s: %s", what, said).isIn(0, Steps.HALTED);
          List<Deed> deeds = new ArrayList<>(List.of(Deed.values()));
          Collections.shuffle(deeds, new Random(random.nextLong()));
          table.survive(before, after, deeds, random.nextInt(1, 1500), other);
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError(what + ": " + e.getMessage(), e);
        }
      }
    }
  }

  @Test
  void nobodySurvives() throws Exception {
    surviveAlone(1, false);
  }

  @Test
  void somebodyWhoIsStoppedSurvives() throws Exception {
    surviveAlone(1, true);
  }

  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void nobodyOrSomebodyWhoIsStoppedSurvives() throws Exception {
    int times = Integer.getInteger("ofi4j.halts", 100);
    surviveAlone(times, false);
    surviveAlone(times, true);
  }

  /** Lets processes die while nobody else is there, or only one that is stopped. */
  private void surviveAlone(int times, boolean stopped) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < times; i++) {
      Change change = Change.values()[random.nextInt(Change.values().length)];
      int step = random.nextInt(1, 60);
      Path vector = Files.createDirectory(directory.resolve("alone" + stopped + i));
      try {
        if (stopped) {
          besideOneWhoIsStopped(vector, change, step);
        } else {
          assertThat(dies(vector, change, step, true)).isIn(0, Steps.HALTED);
          afterAll(vector, change);
        }
      } catch (RuntimeException | AssertionError e) {
        String what = change + " at step " + step + "; repeat with -Dofi4j.seed=" + SEED;
        throw new AssertionError(what + ": " + e.getMessage(), e);
      }
    }
  }

  private static int dies(Path vector, Change change, int step, boolean prepares) throws Exception {
    return Jvm.start(
            HaltedWriter.class,
            vector.resolve("said"),
            "-Dhalt.directory=" + vector,
            "-Dhalt.change=" + change,
            "-Dhalt.prepares=" + prepares,
            "-Dhalt.step=" + step)
        .waitFor();
  }

  /** A vector that nobody is attached to is none for who reads, and begins anew for who writes. */
  private static void afterAll(Path vector, Change change) throws IOException {
    StoreOptions options = change.options();
    VectorFixture.fails(Errno.ENOENT, () -> NamedStores.vector(vector, options, true));
    try (NamedStore store = NamedStore.of(NamedStores.vector(vector, options, false), options)) {
      assertThat(store.size()).isZero();
      assertThat(Soundness.check(vector).state()).isEqualTo(SharedVectorReport.State.IN_USE);
      store.begin();
      change.prepare(store);
      change.apply(store);
      store.end();
      Soundness.check(vector);
    }
    try (var files = Files.list(vector.resolve("own"))) {
      assertThat(files).isEmpty();
    }
  }

  private void besideOneWhoIsStopped(Path vector, Change change, int step) throws Exception {
    StoreOptions options = change.options();
    boolean several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    View after = after(vector.resolve("after"), change);
    Process other =
        Jvm.start(NamedVectorHolder.class, (Path) null, List.of(vector.toString(), change.name()));
    try (BufferedReader said = other.inputReader()) {
      assertThat(said.readLine()).isEqualTo("ready");
      View before;
      try (NamedStore reader = NamedStore.of(NamedStores.vector(vector, options, true), options)) {
        before = View.of(reader, several);
      }
      Jvm.signal(other, "STOP");
      assertThat(dies(vector, change, step, false)).isIn(0, Steps.HALTED);
      NamedVector comes = NamedStores.vector(vector, options, false);
      try (NamedStore reader = NamedStore.of(NamedStores.vector(vector, options, true), options);
          NamedStore writer = NamedStore.of(comes, options)) {
        View seen = View.of(reader, several);
        assertThat(seen.strange(before, after)).isEmpty();
        writer.begin();
        writer.end();
        assertThat(View.of(reader, several)).isEqualTo(seen);
        assertThat(comes.dead()).isEmpty();
        assertThat(comes.otherProcesses()).containsExactly(other.pid());
        Soundness.check(vector);
      }
      Jvm.signal(other, "CONT");
      assertThat(Soundness.check(vector).processes()).containsExactly(other.pid());
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  private static View after(Path directory, Change change) throws IOException {
    try (HaltedTable table = new HaltedTable(directory, change);
        NamedStore store =
            NamedStore.of(
                NamedStores.vector(directory, change.options(), false), change.options())) {
      store.begin();
      change.apply(store);
      store.end();
      return table.look();
    }
  }
}
