package org.ofi4j.core.av;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.ofi4j.core.share.NamedVector;

/**
 * A process in which writers die behind each of their stores, while others live. A death is an
 * error that nothing catches, so that many of them take little time; {@link HaltedWriter} dies as
 * processes do. Run by {@link SteppingLoader}.
 *
 * <p>Properties: {@code halt.directory}, {@code halt.steps} (how many of each change, chosen at
 * random), {@code halt.seed}.
 */
public final class HaltedChanges implements Runnable {
  private final Path base = Path.of(System.getProperty("halt.directory"));
  private final int most = Integer.getInteger("halt.steps");
  private final SplittableRandom random = new SplittableRandom(Long.getLong("halt.seed"));
  private int deaths;
  private int failures;

  /** For the loader. */
  public HaltedChanges() {}

  /** Starts it in a loader of its own. */
  public static void main(String[] args) throws ReflectiveOperationException {
    SteppingLoader.run(HaltedChanges.class);
  }

  @Override
  public void run() {
    try {
      for (Change change : Change.values()) {
        check(change, false);
      }
      check(Change.REMOVE, true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.out.println(deaths + " deaths, " + failures + " failures");
    System.exit(failures == 0 ? 0 : 1);
  }

  /** Lets writers die of a change, or of the repair of a vector. */
  private void check(Change change, boolean repair) throws IOException {
    long steps;
    View before;
    View after;
    try (HaltedTable table = new HaltedTable(directory(), change)) {
      before = table.look();
      steps = change(table, change, repair, Long.MAX_VALUE);
      after = table.look();
    }
    System.out.println((repair ? "REPAIR" : change) + ": " + steps + " steps");
    // The first and the last ones, and any others.
    LongStream chosen =
        steps <= most
            ? LongStream.rangeClosed(1, steps)
            : LongStream.concat(
                LongStream.of(1, steps - 1, steps), random.longs(most - 3, 2, steps - 1));
    for (long step : chosen.toArray()) {
      deaths++;
      try (HaltedTable table = new HaltedTable(directory(), change)) {
        change(table, change, repair, step);
        table.survive(before, after, random);
      } catch (RuntimeException | AssertionError e) {
        failures++;
        System.out.println((repair ? "REPAIR" : change) + " failed, death at step " + step);
        e.printStackTrace(System.out);
      }
    }
  }

  private Path directory() {
    return base.resolve("vector" + deaths);
  }

  /** Changes a vector by a writer of its own until that dies; how many steps there were. */
  static long change(HaltedTable table, Change change, boolean repair, long last) {
    NamedVector vector = NamedStores.vector(table.directory, table.options, false);
    NamedStore victim = new NamedStore(vector, table.options);
    boolean died = false;
    try {
      if (repair) {
        vector.begin();
        vector.fail();
      }
      Steps.begin(last);
      try {
        victim.begin();
        try {
          if (!repair) {
            change.apply(victim);
          }
        } finally {
          victim.end();
        }
      } catch (Steps.Death death) {
        died = true;
        HaltedTable.release(vector);
      }
      return Steps.end();
    } finally {
      if (died) {
        // Without giving anything back.
        victim.close(true);
      } else {
        victim.close();
      }
    }
  }
}
