// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

/**
 * The addresses that one run of addresses has in common with another one; nothing but numbers. Goes
 * along the first one by its positions, without looking at those between.
 */
final class RunOverlap {
  private static final long NODE_MASK = 0xFFFF_FFFFL;

  private final RunShape shape;
  private final int count;
  private final RunShape other;
  private final int otherCount;
  private final boolean possible;

  RunOverlap(RunShape shape, int count, RunShape other, int otherCount) {
    this.shape = shape;
    this.count = count;
    this.other = other;
    this.otherCount = otherCount;
    this.possible =
        count > 0
            && otherCount > 0
            && shape.sameNetwork(other)
            && meetOnAxis(shape.portsFirst(), 0, columns(shape, count) - 1L) >= 0
            && meetOnAxis(!shape.portsFirst(), 0, rows(shape, count) - 1L) >= 0;
  }

  /**
   * The next address that both have.
   *
   * @return the first {@link #position} from there on whose address the other one has too, and the
   *     {@link #place} that it has there; the position is the count if there is none
   */
  long next(int from) {
    if (!possible) {
      return common(count, 0);
    }
    boolean axis = shape.portsFirst();
    int inner = shape.inner();
    long begin = (long) shape.skip() + from;
    long end = (long) shape.skip() + count - 1;
    long lastRow = end / inner;
    for (long row = begin / inner; row <= lastRow; row++) {
      row = meetOnAxis(!axis, row, lastRow);
      if (row < 0) {
        break;
      }
      long first = Math.max(begin - row * inner, 0);
      long last = Math.min(end - row * inner, inner - 1L);
      long column = meetOnLine(axis, base(shape, !axis) + row * step(shape, !axis), first, last);
      if (column >= 0) {
        int position = (int) (row * inner + column - shape.skip());
        return common(position, (int) other.position(shape.node(position), shape.port(position)));
      }
    }
    return common(count, 0);
  }

  private static long common(int position, int place) {
    return (long) position << Integer.SIZE | place;
  }

  /** The position of an address that {@link #next} found. */
  static int position(long common) {
    return (int) (common >>> Integer.SIZE);
  }

  /** Where the other one has an address that {@link #next} found. */
  static int place(long common) {
    return (int) common;
  }

  /**
   * How many addresses from one that {@link #next} found on are in the same order in both.
   *
   * @param common what it gave
   * @return 1 or more
   */
  int length(long common) {
    int position = position(common);
    int place = place(common);
    int left = Math.min(count - position, otherCount - place);
    boolean axis = shape.portsFirst();
    if (axis != other.portsFirst() || step(shape, axis) != step(other, axis)) {
      return 1;
    }
    int row = shape.restOfRow(position);
    int otherRow = other.restOfRow(place);
    if (row == otherRow
        && shape.inner() == other.inner()
        && step(shape, !axis) == step(other, !axis)) {
      return left;
    }
    return Math.min(left, Math.min(row, otherRow));
  }

  /** The first place along an axis at which the other one has nodes or ports. */
  private long meetOnAxis(boolean ports, long from, long to) {
    boolean inner = other.portsFirst() == ports;
    boolean oneRow = (long) other.skip() + otherCount <= other.inner();
    int skipped = inner && oneRow ? other.skip() : 0;
    long start = base(other, ports) + (long) skipped * step(other, ports);
    long numbers;
    if (inner) {
      numbers = oneRow ? otherCount : other.inner();
    } else {
      numbers = rows(other, otherCount);
    }
    int otherStep = step(other, ports);
    return Progression.meet(
        base(shape, ports),
        step(shape, ports),
        from,
        step(shape, ports) == 0 ? Math.max(from, 0) : to,
        start,
        otherStep,
        otherStep == 0 ? 1 : numbers);
  }

  /**
   * The first column of a row whose address the other one has.
   *
   * @param ports whether the row goes along ports
   * @param fixed the node of the row, or its port
   * @param from the first column that counts
   * @param to the last one
   */
  private long meetOnLine(boolean ports, long fixed, long from, long to) {
    int inner = other.inner();
    long end = (long) other.skip() + otherCount - 1;
    long across = other.steps(fixed - base(other, !ports), !ports);
    if (across < 0) {
      return -1;
    }
    long first;
    long last;
    if (other.portsFirst() == ports) {
      // A row of the other one.
      if (across > end / inner) {
        return -1;
      }
      first = across == 0 ? other.skip() : 0;
      last = Math.min(end - across * inner, inner - 1L);
    } else {
      // A column of the other one.
      if (across >= inner || across > end) {
        return -1;
      }
      first = across >= other.skip() ? 0 : 1;
      last = (end - across) / inner;
    }
    if (first > last) {
      return -1;
    }
    int otherStep = step(other, ports);
    return Progression.meet(
        base(shape, ports),
        step(shape, ports),
        from,
        to,
        base(other, ports) + first * otherStep,
        otherStep,
        otherStep == 0 ? 1 : last - first + 1);
  }

  private static long base(RunShape of, boolean ports) {
    return ports ? of.port() : of.low() & NODE_MASK;
  }

  private static int step(RunShape of, boolean ports) {
    return ports ? of.portStep() : of.nodeStep();
  }

  private static long columns(RunShape of, int size) {
    return Math.min((long) of.skip() + size, of.inner());
  }

  private static long rows(RunShape of, int size) {
    return ((long) of.skip() + size - 1) / of.inner() + 1;
  }
}
