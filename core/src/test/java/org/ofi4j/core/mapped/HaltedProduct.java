// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ofi4j.core.mapped.HaltedTable.Deed;
import org.ofi4j.core.mapped.HaltedTable.Survivor;
import org.ofi4j.core.mapped.HaltedVictim.Part;

/**
 * Lets another process die in every way there is: the product of
 *
 * <ul>
 *   <li>courses: each {@link Change}; for each of them the repair of what a death in its middle
 *       left; and giving back what who has made the change holds that died without the lock;
 *   <li>places of each course where something is stored or a file changes, as {@link StepPlaces}
 *       tells them apart; of those that come again and again the first time, the last, and one or
 *       more between them, chosen at random;
 *   <li>who survives: every set of {@link Survivor}s, none beside one who is stopped, and nobody;
 *   <li>which of the {@link Deed}s comes first that make a difference to them. The others follow in
 *       random order, as the first one decides who finds the vector as it was left: all but the
 *       mere readers repair it, and what follows goes on with what was repaired.
 * </ul>
 *
 * <p>All of this is combined with all in changes and in repairs. Where something is given back,
 * places are combined with all sets of survivors, and the deeds take turns: each of them comes
 * first at some places, with each set of survivors.
 *
 * <p>Each death has a name, {@code KIND:CHANGE:STEP:REST}, by which it is repeated; with the same
 * seed it is the same one.
 */
final class HaltedProduct implements AutoCloseable {
  /** What somebody dies of. */
  enum Kind {
    CHANGE,
    REPAIR,
    GIVE_BACK
  }

  /**
   * Who is left after a death.
   *
   * @param survivors who had the vector open
   * @param dead whether there is nobody else either
   * @param first what is done first
   */
  private record Rest(Set<Survivor> survivors, boolean dead, Deed first) {}

  /** What a process dies of. */
  private record Course(Kind kind, Change change) {
    @Override
    public String toString() {
      return kind + ":" + change;
    }

    Random random(long seed, int... more) {
      return new Random(Objects.hash(seed, kind.name(), change.name(), Arrays.hashCode(more)));
    }
  }

  /**
   * How that goes without a death.
   *
   * @param middle behind which step of the change somebody else has died before, if so
   * @param before what was there before
   * @param after what is there after
   * @param places where its stores are
   * @param steps which of them are tried
   */
  private record Way(
      Course course, int middle, View before, View after, StepPlaces places, int[] steps) {
    long deaths() {
      return (long) steps.length * rests(0).size();
    }

    /** Which rests are tried at one of the steps. */
    List<Integer> rests(int which) {
      return course.kind != Kind.GIVE_BACK
          ? IntStream.range(0, RESTS.size()).boxed().toList()
          : TURNS.stream().map(turns -> turns.get(which % turns.size())).toList();
    }
  }

  private static final List<Rest> RESTS = rests();

  /** The numbers of those in which the same survive. */
  private static final Collection<List<Integer>> TURNS =
      IntStream.range(0, RESTS.size())
          .boxed()
          .collect(
              Collectors.groupingBy(
                  i -> RESTS.get(i).survivors + " " + RESTS.get(i).dead,
                  LinkedHashMap::new,
                  Collectors.toList()))
          .values();

  /** Before so many steps of a repair somebody else dies in it, or not at all. */
  private static final int STEPS_OF_REPAIR = 1500;

  private static final long TELL_EVERY = 5_000_000_000L;

  private final Path base;
  private final long seed;
  private final HaltedOther other = new HaltedOther();
  private final List<String> failures = new ArrayList<>();
  private int vectors;
  private long deaths;
  private long told = System.nanoTime();

  /**
   * A product.
   *
   * @param base a directory for the files
   * @param seed of all that is chosen at random
   */
  HaltedProduct(Path base, long seed) throws IOException {
    this.base = base;
    this.seed = seed;
  }

  private static List<Rest> rests() {
    List<Rest> rests = new ArrayList<>();
    for (int i = 0; i < 1 << Survivor.values().length; i++) {
      Set<Survivor> survivors = EnumSet.noneOf(Survivor.class);
      for (Survivor survivor : Survivor.values()) {
        if ((i >> survivor.ordinal() & 1) != 0) {
          survivors.add(survivor);
        }
      }
      for (Deed deed : Deed.values()) {
        boolean different =
            switch (deed) {
              case READ -> !survivors.isEmpty();
              case WRITE -> survivors.contains(Survivor.WRITER);
              default -> true;
            };
        if (different) {
          rests.add(new Rest(survivors, false, deed));
        }
      }
    }
    rests.add(new Rest(EnumSet.noneOf(Survivor.class), true, Deed.COME_TO_WRITE));
    return List.copyOf(rests);
  }

  /** All courses of the product. */
  private static List<Course> names() {
    return Stream.of(Kind.values())
        .flatMap(kind -> Stream.of(Change.values()).map(change -> new Course(kind, change)))
        .filter(course -> course.kind != Kind.GIVE_BACK || course.change.leavesSomething())
        .toList();
  }

  /**
   * One part of all deaths, of parts that have a little of everything.
   *
   * @param most how many steps of each place
   * @param kinds how {@code KIND:CHANGE} of the courses begins
   * @param part which part, from 0
   * @param parts how many parts there are
   * @return what failed
   */
  List<String> part(int most, String kinds, int part, int parts) throws IOException {
    List<Way> ways = new ArrayList<>();
    for (Course course : names()) {
      if (course.toString().startsWith(kinds)) {
        ways.add(way(course, most));
      }
    }
    long all = ways.stream().mapToLong(Way::deaths).sum();
    System.out.printf(
        "%d courses, %d places, %d steps, %d ways to go on (%d in turns): %d deaths, of which part"
            + " %d of %d; -Dofi4j.seed=%d%n",
        ways.size(),
        ways.stream().mapToInt(way -> way.places.count()).sum(),
        ways.stream().mapToInt(way -> way.steps.length).sum(),
        RESTS.size(),
        TURNS.size(),
        all,
        part + 1,
        parts,
        seed);
    long mine = (all - part + parts - 1) / parts;
    long number = 0;
    for (Way way : ways) {
      System.out.println(way.course);
      for (int i = 0; i < way.steps.length; i++) {
        for (int rest : way.rests(i)) {
          if (number++ % parts == part) {
            die(way, way.steps[i], rest, mine);
          }
        }
      }
    }
    return failures;
  }

  /** Some deaths of some courses. */
  List<String> sample(int most, int courses, int deaths) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Course> names = names();
    for (int i = 0; i < courses; i++) {
      Way way = way(names.get(random.nextInt(names.size())), most);
      for (int j = 0; j < deaths; j++) {
        int step = way.steps[random.nextInt(way.steps.length)];
        die(way, step, random.nextInt(RESTS.size()), (long) courses * deaths);
      }
    }
    return failures;
  }

  /** The death of a name. */
  List<String> one(String name) throws IOException {
    String[] parts = name.split(":", -1);
    Course course = new Course(Kind.valueOf(parts[0]), Change.valueOf(parts[1]));
    die(way(course, 1), Integer.parseInt(parts[2]), Integer.parseInt(parts[3]), 1);
    return failures;
  }

  /** How a course goes without a death. */
  private Way way(Course course, int most) throws IOException {
    Change change = course.change;
    int middle = 0;
    if (course.kind == Kind.REPAIR) {
      try (HaltedTable table = new HaltedTable(directory(), change)) {
        middle = (other.places(Part.NOTE_CHANGE, change, table.directory).steps() + 1) / 2;
      }
    }
    try (HaltedTable table = new HaltedTable(directory(), change)) {
      first(course, middle, table.directory);
      View before = table.look();
      StepPlaces places =
          other.places(
              course.kind == Kind.CHANGE ? Part.NOTE_CHANGE : Part.NOTE_REPAIR,
              change,
              table.directory);
      int[] steps = places.chosen(most, course.random(seed));
      return new Way(course, middle, before, table.look(), places, steps);
    }
  }

  /** Who dies before somebody else repairs or gives back. */
  private void first(Course course, int middle, Path directory) throws IOException {
    Part part =
        switch (course.kind) {
          case CHANGE -> null;
          case REPAIR -> Part.CHANGE;
          case GIVE_BACK -> Part.LEAVE;
        };
    if (part != null && !other.dies(part, course.change, directory, middle)) {
      throw new AssertionError("nobody died in the middle of " + course.change);
    }
  }

  private void die(Way way, int step, int which, long all) throws IOException {
    Course course = way.course;
    Rest rest = RESTS.get(which);
    List<Deed> deeds = new ArrayList<>(List.of(Deed.values()));
    Random random = course.random(seed, step, which);
    Collections.shuffle(deeds, random);
    deeds.remove(rest.first);
    deeds.addFirst(rest.first);
    Path directory = directory();
    try (HaltedTable table = new HaltedTable(directory, course.change)) {
      table.leaveAllBut(rest.survivors);
      first(course, way.middle, directory);
      Part part = course.kind == Kind.CHANGE ? Part.CHANGE : Part.REPAIR;
      if (!other.dies(part, course.change, directory, step)) {
        throw new AssertionError("nobody died at step " + step);
      }
      if (rest.dead) {
        table.dieOut(directory.resolve("left"), random.nextBoolean());
      } else {
        table.survive(way.before, way.after, deeds, random.nextInt(1, STEPS_OF_REPAIR), other);
      }
    } catch (RuntimeException | AssertionError failed) {
      fail(way, step, which, deeds, failed);
    }
    delete(directory);
    deaths++;
    long now = System.nanoTime();
    if (now - told > TELL_EVERY || deaths == all) {
      told = now;
      System.out.printf("%d of %d deaths, %d failures%n", deaths, all, failures.size());
    }
  }

  private void fail(Way way, int step, int which, List<Deed> deeds, Throwable failed) {
    String name = way.course + ":" + step + ":" + which;
    Rest rest = RESTS.get(which);
    failures.add(name);
    System.out.println("FAILED, repeat with -Dofi4j.seed=" + seed + " -Dofi4j.death=" + name);
    System.out.println("  step " + step + " of " + way.places.steps() + ": " + way.places.of(step));
    System.out.println(
        rest.dead ? "  nobody survives" : "  survivors " + rest.survivors + ", then " + deeds);
    if (failures.size() <= 20) {
      System.out.println(failed);
      Stream.of(failed.getStackTrace())
          .filter(frame -> frame.getClassName().startsWith("org.ofi4j."))
          .forEach(frame -> System.out.println("    at " + frame));
    }
  }

  private Path directory() {
    return base.resolve("vector" + vectors++);
  }

  /** Deletes a directory and all in it. */
  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Override
  public void close() throws IOException {
    other.close();
  }
}
