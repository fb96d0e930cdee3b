// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/** Random insertions and removals, compared with a list. Runs are numbers here. */
class RunTreeTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private record Element(long first, long last, int run) {}

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final RunTree order = new RunTree(allocator, Superblock.RUNS_BY_ADDRESS);
  private final RunTreeTransaction edit = new RunTreeTransaction(allocator, order);
  private final List<Element> elements = new ArrayList<>();

  @AfterEach
  void close() {
    memory.close();
  }

  @ParameterizedTest
  @CsvSource({"10, 3, 0", "1000, 10, 0", "100000, 100, 0", "100000, 50000, 5", "1000000, 0, 5"})
  void doesWhatAListDoes(int keys, int width, int scarce) {
    SplittableRandom random = new SplittableRandom(SEED ^ keys);
    long used = allocator.usedBytes();
    int runs = 0;
    for (int step = 0; step < 1200; step++) {
      memory.limit(random.nextInt(10) < scarce ? memory.held() : Long.MAX_VALUE);
      List<Element> before = List.copyOf(elements);
      long root = order.root();
      long usedBefore = allocator.usedBytes();
      boolean commit = random.nextInt(10) > 0;
      try {
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
          if (random.nextInt(100) < (step / 300 % 2 == 0 ? 75 : 25) || elements.isEmpty()) {
            long first = random.nextInt(keys);
            long last = first + (width == 0 ? 0 : random.nextInt(width));
            Element element = new Element(first, last, ++runs);
            edit.insert(element.first, element.last, element.run);
            elements.add(element);
          } else {
            Element element = elements.get(random.nextInt(elements.size()));
            edit.remove(element.first, element.run);
            elements.remove(element);
          }
        }
      } catch (OutOfMemoryError e) {
        commit = false;
      }
      if (commit) {
        edit.commit();
        assertThat(order.isStill(root)).isFalse();
      } else {
        edit.abort();
        elements.clear();
        elements.addAll(before);
        assertThat(order.isStill(root)).isTrue();
        assertThat(allocator.usedBytes()).isEqualTo(usedBefore);
      }
      compare(random.nextInt(keys + width + 1), "step " + step + ", -Dofi4j.seed=" + SEED);
    }
    memory.limit(Long.MAX_VALUE);
    for (Element element : elements) {
      edit.remove(element.first, element.run);
      edit.commit();
    }
    assertThat(RunTree.isEmpty(order.root())).isTrue();
    assertThat(allocator.usedBytes()).isEqualTo(used);
  }

  /** As in a damaged file: each of the nodes on all levels is the same one. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7})
  void nodesThatLeadBackToThemselvesAreNotFollowedForEver(int level) {
    int unit = allocator.allocate(RunNodes.units(RunNodes.MAX));
    MemorySegment segment = allocator.segment(unit);
    long self = RunNodes.reference(unit, RunNodes.MAX, false);
    for (int i = 0; i < RunNodes.MAX; i++) {
      RunNodes.set(segment, allocator.offset(unit), RunNodes.MAX, i, 0, Long.MAX_VALUE, self);
    }
    long root = RunNodes.root(order.root(), self, level);
    order.publish(root);
    long most = RunNodes.MAX * Math.max(RunNodes.MAX, 1024 + allocator.units());
    long[] looks = {0};
    RunSearch search =
        new RunSearch(
            allocator,
            order,
            (run, a, b, c, d) -> {
              assertThat(++looks[0]).isLessThanOrEqualTo(most);
              return -1;
            },
            true);
    Runnable find = () -> search.find(root, 5, 0, 5, 0);
    Runnable visit =
        () ->
            order.visit(
                0,
                9,
                (first, last, run) -> {
                  assertThat(++looks[0]).isLessThanOrEqualTo(most);
                  return true;
                });
    for (Runnable either : List.of(find, visit)) {
      looks[0] = 0;
      if (level == 2) {
        // There may be so many nodes.
        either.run();
        assertThat(looks[0]).isEqualTo(RunNodes.MAX * RunNodes.MAX);
      } else {
        assertThatIllegalStateException()
            .isThrownBy(either::run)
            .withMessage("the order of runs leads back to itself");
      }
    }
  }

  private void compare(long key, String what) {
    long root = order.root();
    Comparator<Element> byFirst = Comparator.comparingLong(Element::first);
    Element floor =
        elements.stream().filter(e -> e.first <= key).max(byFirst).orElse(new Element(0, 0, 0));
    int found = order.floor(root, key);
    assertThat(
            found == floor.run || elements.contains(new Element(floor.first, last(found), found)))
        .as("floor of %s: %s, %s", key, found, what)
        .isTrue();
    Element ceiling =
        elements.stream().filter(e -> e.first >= key).min(byFirst).orElse(new Element(-1, 0, 0));
    int next = order.ceiling(key);
    assertThat(next == 0 ? -1 : first(next))
        .as("ceiling of %s, %s", key, what)
        .isEqualTo(ceiling.first);
    Set<Integer> enclosing = new HashSet<>();
    elements.stream()
        .filter(e -> e.first <= key && e.last >= key)
        .forEach(e -> enclosing.add(e.run));
    Set<Integer> seen = new HashSet<>();
    RunSearch search =
        new RunSearch(allocator, order, (run, a, b, c, d) -> seen.add(run) ? run : run, true);
    int least = search.find(root, key, 0, 0, 0);
    assertThat(seen).as("around %s, %s", key, what).isEqualTo(enclosing);
    assertThat(least).isEqualTo(enclosing.stream().min(Comparator.naturalOrder()).orElse(-1));
    long to = key + key % 50;
    Set<Integer> visited = new HashSet<>();
    order.visit(
        key,
        to,
        (first, last, run) -> {
          visited.add(run);
          return true;
        });
    Set<Integer> common = new HashSet<>();
    elements.stream().filter(e -> e.first <= to && e.last >= key).forEach(e -> common.add(e.run));
    assertThat(visited).as("between %s and %s, %s", key, to, what).isEqualTo(common);
  }

  private long last(int run) {
    return elements.stream().filter(e -> e.run == run).findAny().map(Element::last).orElse(-1L);
  }

  private long first(int run) {
    return elements.stream().filter(e -> e.run == run).findAny().map(Element::first).orElse(-1L);
  }
}
