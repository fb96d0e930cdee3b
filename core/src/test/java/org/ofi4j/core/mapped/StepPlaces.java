// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Where in the code the stores of a change are. A place is a store and all calls of the engine that
 * lead to it, each by its method and position there: what a loop does again and again is at one
 * place, what two callers let the same method store is at two.
 */
final class StepPlaces {
  private static final StackWalker WALKER = StackWalker.getInstance();
  private static final Set<String> OWN =
      Set.of(Steps.class.getName(), StepPlaces.class.getName(), HaltedVictim.class.getName());

  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final List<Integer> ofSteps = new ArrayList<>();

  /** Notes the store that was just made. */
  void note() {
    note(
        WALKER.walk(frames ->
            frames
                .filter(frame -> frame.getClassName().startsWith("org.ofi4j.core."))
                .filter(frame -> !OWN.contains(frame.getClassName()))
                .map(StepPlaces::name)
                .collect(Collectors.joining(" < "))));
  }

  private void note(String place) {
    Integer next = numbers.size();
    Integer known = numbers.putIfAbsent(place, next);
    ofSteps.add(known == null ? next : known);
  }

  private static String name(StackWalker.StackFrame frame) {
    String type = frame.getClassName();
    return type.substring(type.lastIndexOf('.') + 1)
        + "."
        + frame.getMethodName()
        + ":"
        + frame.getLineNumber()
        + "/"
        + frame.getByteCodeIndex();
  }

  /** Tells another process, which {@link #read}s it. */
  void write(Path file) throws IOException {
    List<String> lines = new ArrayList<>(numbers.keySet());
    lines.add(ofSteps.stream().map(String::valueOf).collect(Collectors.joining(" ")));
    Files.write(file, lines);
  }

  static StepPlaces read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    String last = lines.removeLast();
    StepPlaces read = new StepPlaces();
    if (!last.isEmpty()) {
      for (String number : last.split(" ", -1)) {
        read.note(lines.get(Integer.parseInt(number)));
      }
    }
    return read;
  }

  /** How many places there are. */
  int count() {
    return numbers.size();
  }

  /** How many stores there were. */
  int steps() {
    return ofSteps.size();
  }

  /** The place of a step. */
  String of(int step) {
    int wanted = ofSteps.get(step - 1);
    return numbers.keySet().stream().skip(wanted).findFirst().orElseThrow();
  }

  /**
   * Steps that stand for all.
   *
   * @param most how many of a place: the first, the last, and any others
   */
  int[] chosen(int most, Random random) {
    int[][] steps = new int[count()][];
    int[] counts = new int[count()];
    Arrays.setAll(steps, place -> new int[16]);
    for (int step = 1; step <= ofSteps.size(); step++) {
      int place = ofSteps.get(step - 1);
      if (counts[place] == steps[place].length) {
        steps[place] = Arrays.copyOf(steps[place], 2 * counts[place]);
      }
      steps[place][counts[place]++] = step;
    }
    Set<Integer> chosen = new TreeSet<>();
    for (int place = 0; place < steps.length; place++) {
      int count = counts[place];
      Set<Integer> here = new TreeSet<>(Set.of(steps[place][0]));
      here.add(steps[place][count - 1]);
      while (here.size() < Math.min(most, count)) {
        here.add(steps[place][random.nextInt(count)]);
      }
      chosen.addAll(here);
    }
    return chosen.stream().mapToInt(Integer::intValue).toArray();
  }
}
