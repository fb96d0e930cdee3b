// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.RunNodes;
import org.ofi4j.core.run.RunRecords;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.run.RunTree;
import org.ofi4j.core.run.Runs;

/** Looks at all runs and their orders ({@link Runs}), whatever their memory has. */
final class RunCheck extends MemoryCheck {
  /**
   * An element of an order by address.
   *
   * @param first its first key
   * @param last its last key
   */
  private record Element(long first, long last, int run) {}

  /** Takes what is in a leaf. */
  @FunctionalInterface
  private interface Leaf {
    boolean element(long first, long last, int run);
  }

  private final Runs runs;
  private final RunRecords records;
  private final List<Integer> all = new ArrayList<>();
  private int[] firsts = {};
  private long[] ends = {};
  private long nodeUnits;
  private int emptyRuns;

  RunCheck(Runs runs, Claims claims, boolean whole) {
    super(claims, whole);
    this.runs = runs;
    this.records = runs.records();
  }

  /** Looks at everything; whether runs can be searched. */
  boolean check() {
    boolean sound = tree("the runs by index", runs.byIndex(), this::indexed);
    if (!sound) {
      return false;
    }
    firsts = new int[all.size()];
    ends = new long[all.size()];
    for (int i = 0; i < firsts.length; i++) {
      firsts[i] = records.first(all.get(i));
      ends[i] = (long) firsts[i] + records.count(all.get(i));
      if (i > 0 && firsts[i] < ends[i - 1]) {
        findings.add("the run at " + firsts[i] + " begins before the one before it ends");
      }
    }
    Map<Element, Integer> expected = new HashMap<>();
    for (int run : all) {
      runs.keys()
          .of(
              records.shape(run),
              records.reach(run),
              (isByPort, first, last) ->
                  expected.merge(
                      new Element(first, isByPort ? last : ~last, run), 1, Integer::sum));
    }
    sound =
        tree(
            "the runs by port",
            runs.byPort(),
            (first, last, run) -> found(expected, new Element(first, last, run)));
    sound &=
        tree(
            "the runs by address",
            runs.byAddress(),
            (first, last, run) -> found(expected, new Element(first, ~last, run)));
    // Keys that reach further come before the record says so: then searches tell.
    for (Element missing : whole ? expected.keySet() : Set.<Element>of()) {
      int first = records.first(missing.run);
      String key = Long.toHexString(missing.first);
      findings.add("the run at " + first + " is not found under key " + key);
    }
    if (whole) {
      findings.same("runs", runs.count(), all.size());
      findings.same(
          "runs without entries", allocator.root().get(JAVA_INT, Superblock.EMPTY_RUNS), emptyRuns);
      findings.same(
          "units of the orders of runs",
          allocator.root().get(JAVA_INT, Superblock.RUN_NODE_UNITS),
          nodeUnits);
    }
    return sound;
  }

  private boolean indexed(long first, long last, int run) {
    if (!claims.units(run, RunRecords.UNITS, "the run at " + first)) {
      return false;
    }
    String what = "the run at " + first;
    int count = records.count(run);
    int reach = records.reach(run);
    RunShape shape = records.shape(run);
    if (first != last || records.first(run) != first || first < 0) {
      findings.add(what + " says that it begins at " + records.first(run));
      return false;
    }
    boolean formula =
        shape.inner() > 0
            && shape.skip() >= 0
            && (shape.skip() < shape.inner())
            && shape.low() >>> Integer.SIZE == (shape.ipv6() ? shape.low() >>> Integer.SIZE : 0)
            && (shape.ipv6() || (shape.high() == 0 && shape.scope() == 0));
    if (!formula
        || count < 0
        || reach < count
        || reach > shape.limit()
        || first + count > Integer.MAX_VALUE) {
      findings.add(what + " has count " + count + ", reach " + reach + " and " + shape);
      return false;
    }
    if (records.shares(run) < 0) {
      findings.add(what + " has shares " + records.shares(run));
    }
    emptyRuns += count == 0 ? 1 : 0;
    all.add(run);
    return true;
  }

  private boolean found(Map<Element, Integer> expected, Element element) {
    Integer times = expected.get(element);
    if (times != null && times > 1) {
      expected.put(element, times - 1);
    } else if (times != null) {
      expected.remove(element);
    } else if (whole) {
      findings.add(
          "key %s leads to run %s, which is not there"
              .formatted(Long.toHexString(element.first), element.run));
    } else if (!allocator.has(element.run, RunRecords.UNITS)) {
      findings.add(
          "key %s leads to run %s, which is not in memory"
              .formatted(Long.toHexString(element.first), element.run));
      return false;
    }
    return true;
  }

  private boolean tree(String what, RunTree order, Leaf leaf) {
    long root = order.root();
    int level = RunNodes.level(root);
    if (level > RunNodes.MOST_LEVELS) {
      findings.add(what + " have " + level + " levels");
      return false;
    }
    if (level == 0) {
      if (RunNodes.withoutVersion(root) != 0) {
        findings.add(what + " have no level, and root " + Long.toHexString(root));
        return false;
      }
      return true;
    }
    return node(what, RunNodes.withoutVersion(root), level, Long.MIN_VALUE, Long.MAX_VALUE, leaf);
  }

  private boolean node(String what, long reference, int level, long first, long last, Leaf leaf) {
    int unit = RunNodes.unit(reference);
    int count = RunNodes.count(reference);
    boolean isRoot = first == Long.MIN_VALUE && last == Long.MAX_VALUE;
    if (count == 0 || count > RunNodes.MAX || RunNodes.withoutVersion(reference) != reference) {
      findings.add(what + " have node " + Long.toHexString(reference));
      return false;
    }
    int units = SlabAllocator.sizeOf(RunNodes.units(count));
    if (!claims.units(unit, units, "a node of " + what)) {
      return false;
    }
    nodeUnits += units;
    MemorySegment segment = allocator.segment(unit);
    long at = allocator.offset(unit);
    long most = Long.MIN_VALUE;
    long before = Long.MIN_VALUE;
    boolean disjoint = true;
    boolean sound = true;
    for (int i = 0; i < count; i++) {
      long firstKey = RunNodes.firstKey(segment, at, i);
      long lastKey = RunNodes.lastKey(segment, at, count, i);
      disjoint &= i == 0 || firstKey > most;
      if (firstKey < before || lastKey < firstKey || firstKey < 0) {
        findings.add(what + " are not in order at key " + Long.toHexString(firstKey));
        return false;
      }
      before = firstKey;
      most = Math.max(most, lastKey);
      long child = RunNodes.child(segment, at, count, i);
      if (level > 1) {
        sound &= node(what, child, level - 1, firstKey, lastKey, leaf);
      } else if (child != Integer.toUnsignedLong(RunNodes.unit(child))) {
        findings.add(what + " have run " + Long.toHexString(child));
        sound = false;
      } else {
        sound &= leaf.element(firstKey, lastKey, RunNodes.unit(child));
      }
    }
    if (!isRoot && (RunNodes.firstKey(segment, at, 0) != first || most != last)) {
      findings.add(
          what
              + " have a node whose keys are not those of its element: "
              + Long.toHexString(first));
      return false;
    }
    if (RunNodes.isDisjoint(reference) && !disjoint) {
      findings.add(what + " have elements that overlap: " + Long.toHexString(before));
      return false;
    }
    return sound;
  }

  /** The records of all runs, by first index. */
  List<Integer> all() {
    return all;
  }

  /** How many of the indices of an interval runs cover. */
  long covered(long from, long to) {
    long covered = 0;
    int at = Arrays.binarySearch(firsts, (int) Math.min(from, Integer.MAX_VALUE));
    for (int i = at < 0 ? Math.max(0, -at - 2) : at; i < firsts.length && firsts[i] < to; i++) {
      covered += Math.max(0, Math.min(to, ends[i]) - Math.max(from, firsts[i]));
    }
    return covered;
  }

  long covered() {
    long covered = 0;
    for (int i = 0; i < firsts.length; i++) {
      covered += ends[i] - firsts[i];
    }
    return covered;
  }
}
