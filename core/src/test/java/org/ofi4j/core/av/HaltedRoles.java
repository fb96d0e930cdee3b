package org.ofi4j.core.av;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.ofi4j.core.av.HaltedTable.Deed;
import org.ofi4j.core.av.HaltedTable.Survivor;

/**
 * A process in which writers die behind any of their stores, in any change or in the repair that
 * comes before it, whoever else is there, and whatever those do next, in any order: a sample of all
 * combinations. Run by {@link SteppingLoader}.
 *
 * <p>Properties: {@code halt.directory}, {@code halt.samples} (how many), {@code halt.seed}.
 */
public final class HaltedRoles implements Runnable {
  /**
   * What a writer dies of, and how that looks.
   *
   * @param before what was there before
   * @param after what is there after
   * @param steps how many stores there are
   */
  private record Course(View before, View after, long steps) {}

  private final Path base = Path.of(System.getProperty("halt.directory"));
  private final Random random = new Random(Long.getLong("halt.seed"));
  private final Map<Change, Course> changes = new EnumMap<>(Change.class);
  private final Map<Change, Course> repairs = new EnumMap<>(Change.class);
  private int vectors;

  /** For the loader. */
  public HaltedRoles() {}

  /** Starts it in a loader of its own. */
  public static void main(String[] args) throws ReflectiveOperationException {
    SteppingLoader.run(HaltedRoles.class);
  }

  @Override
  public void run() {
    int samples = Integer.getInteger("halt.samples");
    Set<String> kinds = new TreeSet<>();
    int failures = 0;
    try {
      for (int i = 0; i < samples; i++) {
        Change change = pick(Change.values());
        boolean repair = random.nextInt(5) == 0;
        Course course = course(change, repair);
        // Few of them are long: so each end of a change is tried, too.
        long step =
            random.nextInt(4) == 0
                ? course.steps - random.nextInt((int) Math.min(20, course.steps))
                : 1 + (long) (random.nextDouble() * course.steps);
        Set<Survivor> survivors = EnumSet.noneOf(Survivor.class);
        for (Survivor survivor : Survivor.values()) {
          if (random.nextBoolean()) {
            survivors.add(survivor);
          }
        }
        List<Deed> deeds = new ArrayList<>(Arrays.asList(Deed.values()));
        Collections.shuffle(deeds, random);
        kinds.add(survivors + " " + deeds.getFirst());
        try {
          die(change, repair, step, survivors, deeds, course);
        } catch (RuntimeException | AssertionError failed) {
          failures++;
          System.out.println(
              (repair ? "REPAIR of " : "") + change + ", step " + step + ": " + survivors + deeds);
          failed.printStackTrace(System.out);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.out.println(
        samples
            + " deaths, "
            + kinds.size()
            + " kinds of what comes next, "
            + failures
            + " failures");
    System.exit(failures == 0 ? 0 : 1);
  }

  private <T> T pick(T[] all) {
    return all[random.nextInt(all.length)];
  }

  private Path directory() {
    return base.resolve("vector" + vectors++);
  }

  /** How it goes without a death. */
  private Course course(Change change, boolean repair) throws IOException {
    Map<Change, Course> known = repair ? repairs : changes;
    Course course = known.get(change);
    if (course == null) {
      try (HaltedTable table = new HaltedTable(directory(), change)) {
        View before = table.look();
        long steps = HaltedChanges.change(table, change, repair, Long.MAX_VALUE);
        course = new Course(before, table.look(), steps);
      }
      known.put(change, course);
    }
    return course;
  }

  private void die(
      Change change,
      boolean repair,
      long step,
      Set<Survivor> survivors,
      List<Deed> deeds,
      Course course)
      throws IOException {
    try (HaltedTable table = new HaltedTable(directory(), change)) {
      // Somebody is attached who does nothing, as if stopped: without anybody there is no vector.
      table.join(false);
      HaltedChanges.change(table, change, repair, step);
      table.leaveAllBut(survivors);
      table.survive(course.before, course.after, deeds, random.nextInt(1, 4000));
    }
  }
}
