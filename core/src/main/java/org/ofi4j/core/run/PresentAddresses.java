// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.Arrays;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Which addresses of a range have entries already, in the order of the range: scattered ones are
 * written down, those in runs come by arithmetic, stretch by stretch. For the one thread that
 * writes; entries of other addresses may come while it is used.
 */
public final class PresentAddresses {
  /** One address costs as much to look up as so many slots to look through. */
  private static final int LOOK_UP = 64;

  /** A live slot costs so many others more. */
  private static final int LIVE = 2;

  /**
   * Addresses of the range that successive entries have, all of runs if there are several.
   *
   * @param position the position of the first one
   */
  public record Stretch(int position, int index, int length) {}

  /** What a run has of the range, from its next position on. */
  private final class InRun implements Comparable<InRun> {
    private final Run run;
    private final RunOverlap overlap;
    private int position;
    private int index;
    private int length;

    InRun(Run run) {
      this.run = run;
      this.overlap = new RunOverlap(shape, count, run.shape(), run.count());
    }

    /** Goes to the first live entry at or behind a position. */
    boolean advance(int from) {
      int at = from;
      while (at < count) {
        long common = overlap.next(at);
        position = RunOverlap.position(common);
        if (position == count) {
          return false;
        }
        index = run.first() + RunOverlap.place(common);
        length = overlap.length(common);
        int skipped = slots.emptyFrom(index, index + length) - index;
        if (skipped == 0) {
          // The index may be one of another run by now.
          Run present = runs.at(index);
          shape.at(position, key);
          if (present != null && present.holds(index, key)) {
            length = Math.min(length, present.end() - index);
            length = slots.usedFrom(index, index + length) - index;
            return true;
          }
          skipped = present == null ? length : Math.min(length, present.end() - index);
        }
        at = position + skipped;
      }
      return false;
    }

    @Override
    public int compareTo(InRun other) {
      return Integer.compare(position, other.position);
    }
  }

  private final RunShape shape;
  private final int count;
  private final Runs runs;
  private final Slots slots;
  private final AddressKey key = new AddressKey();
  private final PriorityQueue<InRun> inRuns = new PriorityQueue<>();

  /** {@code position << 32 | index}, sorted. */
  private long[] scattered = new long[8];

  private int scatteredCount;
  private int nextScattered;

  /** The addresses of a range that are in runs. */
  public PresentAddresses(RunShape shape, int count, Runs runs, Slots slots) {
    this.shape = shape;
    this.count = count;
    this.runs = runs;
    this.slots = slots;
    Set<Run> seen = new HashSet<>();
    runs.forEachNear(
        shape,
        count,
        run -> {
          if (seen.add(run)) {
            InRun found = new InRun(run);
            if (found.advance(0)) {
              inRuns.add(found);
            }
          }
        });
  }

  /**
   * Adds the scattered ones. Looks up the addresses one by one, or looks through all slots there
   * are, whichever costs less: slots stay where entries once were.
   */
  public void addScattered(ReverseIndex index, Entries scatteredEntries) {
    int cells = index.cells().count();
    if (cells == 0) {
      return;
    }
    if ((long) count * LOOK_UP < slots.capacity() + (long) LIVE * cells) {
      for (int position = 0; position < count; position++) {
        shape.at(position, key);
        int found = index.find(key, scatteredEntries.hash(key));
        if (found >= 0) {
          addScattered(position, found);
        }
      }
    } else {
      slots.forEachLive((at, word) -> addScattered(at, word, scatteredEntries));
    }
    Arrays.sort(scattered, 0, scatteredCount);
  }

  private void addScattered(int at, long word, Entries scatteredEntries) {
    long position = -1;
    if (SlotWord.state(word) == SlotWord.IPV4) {
      if (!shape.ipv6()) {
        long address = SlotWord.body(word);
        position = shape.position(address >>> Short.SIZE, (int) address & RunShape.MAX_PORT);
      }
    } else if (SlotWord.isLive(scatteredEntries.load(at, key))) {
      position = shape.positionOf(key);
    }
    if (position >= 0 && position < count) {
      addScattered((int) position, at);
    }
  }

  private void addScattered(int position, int at) {
    if (scatteredCount == scattered.length) {
      scattered = Arrays.copyOf(scattered, 2 * scatteredCount);
    }
    scattered[scatteredCount++] = (long) position << Integer.SIZE | at;
  }

  /**
   * Goes to the first ones at or behind a position; positions only grow.
   *
   * @return them, or null if there are none
   */
  public @Nullable Stretch next(int from) {
    while (nextScattered < scatteredCount && scattered[nextScattered] >>> Integer.SIZE < from) {
      nextScattered++;
    }
    InRun least = inRuns.peek();
    while (least != null && least.position < from) {
      inRuns.remove();
      if (least.advance(from)) {
        inRuns.add(least);
      }
      least = inRuns.peek();
    }
    if (nextScattered < scatteredCount) {
      int position = (int) (scattered[nextScattered] >>> Integer.SIZE);
      if (least == null || position <= least.position) {
        return new Stretch(position, (int) scattered[nextScattered], 1);
      }
    }
    return least == null ? null : new Stretch(least.position, least.index, least.length);
  }
}
