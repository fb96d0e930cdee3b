// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

/**
 * The arithmetic of addresses in rows and columns; nothing but numbers.
 *
 * <pre>
 *   position:   0      1      2   ...  inner - 1        columns go along the ports of a node,
 *             inner  inner+1  ...                       rows along nodes, or the other way round
 * </pre>
 *
 * <p>A node is an address without its port. Steps may be negative; a step of 0 says that there is
 * nothing in that direction.
 */
final class Progression {
  /** The length of rows where there is one row only. */
  static final int ONE_ROW = Integer.MAX_VALUE;

  private Progression() {}

  static long nodeDelta(int position, int nodeStep, int inner, boolean portsFirst) {
    int row = position < inner ? 0 : position / inner;
    return (long) (portsFirst ? row : position - row * inner) * nodeStep;
  }

  static int portDelta(int position, int portStep, int inner, boolean portsFirst) {
    int row = position < inner ? 0 : position / inner;
    return (portsFirst ? position - row * inner : row) * portStep;
  }

  /**
   * Where an address is.
   *
   * @param nodeDelta how far its node is from the first one
   * @param portDelta how far its port is from the first one
   * @param inner the length of rows
   * @param portsFirst whether rows go along ports
   * @return its position from 0, not bounded by a count; -1 if it is nowhere
   */
  static long position(
      long nodeDelta, int nodeStep, int portDelta, int portStep, int inner, boolean portsFirst) {
    long node = steps(nodeDelta, nodeStep);
    long port = steps(portDelta, portStep);
    long column = portsFirst ? port : node;
    long row = portsFirst ? node : port;
    if ((column | row) < 0 || column >= inner || row > Integer.MAX_VALUE) {
      return -1;
    }
    return row * inner + column;
  }

  /** How many steps make a distance; negative if none do. */
  static long steps(long delta, int step) {
    if (step == 1) {
      return delta;
    }
    if (delta == 0) {
      return 0;
    }
    if (step == 0) {
      return -1;
    }
    long steps = delta / step;
    return steps * step == delta ? steps : -1;
  }

  /**
   * Where one arithmetic progression comes upon another one.
   *
   * @param start its first number
   * @param step from number to number, 0 if there is one only
   * @param from the first place in it that counts, at least 0
   * @param to the last place in it that counts
   * @param other the first number of the other one
   * @param otherStep its step, 0 if there is one number only
   * @param otherCount how many numbers the other one has
   * @return the first place whose number the other one has too, or -1
   */
  static long meet(
      long start, int step, long from, long to, long other, int otherStep, long otherCount) {
    long distance = other - start;
    if (step == 0) {
      long place = steps(-distance, otherStep);
      return from == 0 && to >= 0 && place >= 0 && place < otherCount ? 0 : -1;
    }
    long span = (otherCount - 1) * otherStep;
    long one = step > 0 ? Math.min(distance, distance + span) : Math.max(distance, distance + span);
    long another = distance + span + distance - one;
    long least = Math.max(from, Math.ceilDiv(one, step));
    long most = Math.min(to, Math.floorDiv(another, step));
    if (otherStep == 0 || otherCount == 1) {
      return least <= most && distance % step == 0 ? least : -1;
    }
    // Places that meet are congruent: place * step = distance modulo the other step.
    long modulus = Math.abs((long) otherStep);
    long divisor = gcd(Math.abs((long) step), modulus);
    if (distance % divisor != 0) {
      return -1;
    }
    modulus /= divisor;
    long inverse = inverse(Math.floorMod(step / divisor, modulus), modulus);
    long residue = Math.floorMod(Math.floorMod(distance / divisor, modulus) * inverse, modulus);
    long place = least + Math.floorMod(residue - least, modulus);
    return place <= most ? place : -1;
  }

  private static long gcd(long one, long other) {
    return other == 0 ? one : gcd(other, one % other);
  }

  /** The number whose product with another one is 1 modulo a number that has no factor of it. */
  private static long inverse(long number, long modulus) {
    long before = 0;
    long present = 1;
    long low = modulus;
    long high = number;
    while (high > 1) {
      long quotient = low / high;
      long rest = low % high;
      low = high;
      high = rest;
      long next = before - quotient * present;
      before = present;
      present = next;
    }
    return modulus == 1 ? 0 : Math.floorMod(present, modulus);
  }
}
