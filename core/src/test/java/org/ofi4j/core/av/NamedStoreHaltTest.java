package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers die behind any of their stores, in changes of all kinds and in repairs. After each death
 * everything that was there is there, what was to change is as before or as after, for who read
 * before and who comes now; the verifier finds nothing wrong, before and after the repair.
 */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreHaltTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @TempDir private Path directory;

  @Test
  void writersDieBehindSomeOfTheirStores() throws Exception {
    die(5);
  }

  /** All of most changes: two have thousands. */
  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void writersDieBehindEachOfTheirStores() throws Exception {
    die(Integer.getInteger("ofi4j.halts", 1100));
  }

  private void die(int steps) throws Exception {
    Path said = directory.resolve("said");
    Process process =
        Jvm.start(
            HaltedChanges.class,
            said,
            "-Dhalt.directory=" + directory,
            "-Dhalt.steps=" + steps,
            "-Dhalt.seed=" + SEED);
    int exit = process.waitFor();
    String all = Files.readString(said);
    assertThat(exit).as("repeat with -Dofi4j.seed=%s: %s", SEED, all).isZero();
    assertThat(all).contains(" 0 failures").contains("REPAIR: ");
  }

  @Test
  void processesHaltThemselves() throws Exception {
    halt(3);
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
    for (int i = 0; i < times; i++) {
      Change change = changes[random.nextInt(changes.length)];
      int step = random.nextInt(1, 60);
      String what = change + " at step " + step + "; repeat with -Dofi4j.seed=" + SEED;
      View after = after(directory.resolve("after" + i), change);
      Path vector = directory.resolve("vector" + i);
      try (HaltedTable table = new HaltedTable(vector, change)) {
        View before = table.look();
        Path said = directory.resolve("said" + i);
        Process process =
            Jvm.start(
                HaltedWriter.class,
                said,
                "-Dhalt.directory=" + vector,
                "-Dhalt.change=" + change,
                "-Dhalt.step=" + step);
        int exit = process.waitFor();
        assertThat(exit).as("%s: %s", what, Files.readString(said)).isIn(0, Steps.HALTED);
        table.survive(before, after, random);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(what + ": " + e.getMessage(), e);
      }
    }
  }

  private static View after(Path directory, Change change) throws IOException {
    try (HaltedTable table = new HaltedTable(directory, change);
        NamedStore store =
            new NamedStore(
                NamedStores.vector(directory, change.options(), false), change.options())) {
      store.begin();
      change.apply(store);
      store.end();
      return table.look();
    }
  }
}
