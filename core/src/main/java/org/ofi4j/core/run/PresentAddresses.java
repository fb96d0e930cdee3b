// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * The addresses of a range that have entries, in the order of the range. Found once: entries that
 * are inserted while this is used must have other addresses, and none may be removed. For the one
 * thread that writes.
 */
public final class PresentAddresses {
  /** One address costs as much to look up as so many slots to look through. */
  private static final int LOOK_UP = 64;

  /** A live slot costs so many others more. */
  private static final int LIVE = 2;

  /**
   * Addresses of the range that successive entries have, all of one run if there are several.
   *
   * @param position the position of the first one
   */
  public record Stretch(int position, int index, int length) {}

  private final RunShape shape;
  private final int count;
  private final Runs runs;
  private final Slots slots;
  private final AddressKey key = new AddressKey();

  /**
   * {@code position << 32 | index}, sorted: scattered entries, and of those in runs the first of
   * each stretch at least. The others of a stretch follow from the formula of the run.
   */
  private long[] found = new long[8];

  private int foundCount;
  private int next;

  /** Finds the addresses of a range. */
  public PresentAddresses(
      RunShape shape, int count, Runs runs, Slots slots, HashTable cells, Entries scattered) {
    this.shape = shape;
    this.count = count;
    this.runs = runs;
    this.slots = slots;
    Set<Run> near = runs.near(shape, count);
    if (shape.isDense()) {
      near.forEach(this::addCommon);
    } else if (!near.isEmpty()) {
      // A caller has listed these addresses, so to go through them costs no more than that.
      int position = 0;
      while (position < count) {
        shape.at(position, key);
        int at = runs.find(runs.present(), key);
        Run run = at < 0 ? null : runs.at(at);
        position += run == null ? 1 : addStretch(run, at - run.first());
      }
    }
    addScattered(cells, scattered);
    Arrays.sort(found, 0, foundCount);
  }

  /**
   * Adds the entries of a run that have addresses of the range, which is dense. Passes over rows
   * and columns of the run outside the range together.
   */
  private void addCommon(Run run) {
    RunShape other = run.shape();
    RunShape.Box box = shape.box(count);
    RunShape.Interval columns = other.linesIn(box, other.portsFirst());
    RunShape.Interval rows = other.linesIn(box, !other.portsFirst());
    int inner = other.inner();
    long end = (long) other.skip() + run.count() - 1;
    long lastColumn = Math.min(columns.last(), inner - 1L);
    boolean meet = shape.sameNetwork(other) && columns.first() <= lastColumn;
    long lastRow = meet ? Math.min(rows.last(), end / inner) : -1;
    long at = other.skip();
    // A stretch may reach over several rows.
    for (long row = rows.first(); row <= lastRow; row = Math.max(row + 1, at / inner)) {
      at = Math.max(at, row * inner + columns.first());
      while (at <= Math.min(end, row * inner + lastColumn)) {
        at += addStretch(run, (int) (at - other.skip()));
      }
    }
  }

  /** Adds a stretch of a run without the indices that have slots; how long it is with these. */
  private int addStretch(Run run, int place) {
    int index = run.first() + place;
    long position = shape.position(run.shape().node(place), run.shape().port(place));
    if (position < 0 || position >= count) {
      // Not in the first row, or the last one, of which the range has a part only.
      return 1;
    }
    int length = length((int) position, run, index);
    int at = slots.emptyFrom(index, index + length);
    while (at < index + length) {
      add((int) position + at - index, at);
      at = slots.emptyFrom(slots.usedFrom(at, index + length), index + length);
    }
    return length;
  }

  /** How many addresses from a position on successive indices of a run have. */
  private int length(int position, Run run, int index) {
    int most = Math.min(count - position, run.end() - index);
    return Math.min(most, shape.alike(position, run.shape(), index - run.first()));
  }

  /**
   * Adds the scattered ones. Looks up the addresses one by one, or looks through all slots there
   * are, whichever costs less: slots stay where entries once were.
   */
  private void addScattered(HashTable cells, Entries scattered) {
    int present = cells.count();
    if (present == 0) {
      return;
    }
    if ((long) count * LOOK_UP < slots.capacity() + (long) LIVE * present) {
      for (int position = 0; position < count; position++) {
        shape.at(position, key);
        add(position, cells.lookups().find(scattered.hash(key), scattered, key, 0));
      }
    } else {
      slots.forEachLive((at, word) -> addScattered(at, word, scattered));
    }
  }

  private void addScattered(int at, long word, Entries scattered) {
    long position = -1;
    if (SlotWord.state(word) == SlotWord.IPV4) {
      long address = SlotWord.body(word);
      position = shape.position(false, 0, address >>> Short.SIZE, address & RunShape.MAX_PORT);
    } else if (SlotWord.isLive(scattered.load(at, key))) {
      position = shape.positionOf(key);
    }
    if (position >= 0 && position < count) {
      add((int) position, at);
    }
  }

  /** Adds an entry, unless its index is negative. */
  private void add(int position, int index) {
    if (index >= 0) {
      if (foundCount == found.length) {
        found = Arrays.copyOf(found, 2 * foundCount);
      }
      found[foundCount++] = (long) position << Integer.SIZE | index;
    }
  }

  /**
   * Goes to the first ones at or behind a position.
   *
   * @param from 0, or a later position than before that is not in the stretch of that call
   * @return them, or null if there are none
   */
  public @Nullable Stretch next(int from) {
    while (next < foundCount && found[next] >>> Integer.SIZE < from) {
      next++;
    }
    if (next == foundCount) {
      return null;
    }
    int position = (int) (found[next] >>> Integer.SIZE);
    int index = (int) found[next];
    Run run = slots.word(index) == 0 ? runs.at(index) : null;
    int end = run == null ? index + 1 : slots.usedFrom(index, index + length(position, run, index));
    return new Stretch(position, index, end - index);
  }
}
