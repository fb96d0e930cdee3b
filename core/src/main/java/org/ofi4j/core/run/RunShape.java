// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;

/**
 * Addresses in rows and columns, which follow from their position: the formula of a run, without
 * indices and without end. A value.
 *
 * <pre>
 *   position:   0      1      2   ...  inner - 1        columns go along the ports of a node,
 *             inner  inner+1  ...                       rows along nodes, or the other way round
 * </pre>
 *
 * <p>A node is an address without its port. Steps may be negative. All nodes of an IPv6 run share
 * the first 96 bits, so that nodes are numbers of 32 bits for both families.
 *
 * @param ipv6 whether the addresses are IPv6
 * @param high the first eight bytes of IPv6 addresses, else 0
 * @param low the last eight bytes of the IPv6 address at position {@code -skip}, or that IPv4
 *     address
 * @param scope of IPv6 addresses, else 0
 * @param port the port at position {@code -skip}
 * @param nodeStep from node to node, 0 if there is one node only
 * @param portStep from port to port, 0 if there is one port only
 * @param inner the length of rows, {@link #ONE_ROW} if there is one row only
 * @param portsFirst whether rows go along ports
 * @param skip how many addresses the first row lacks at its beginning, less than {@code inner}
 */
public record RunShape(
    boolean ipv6,
    long high,
    long low,
    int scope,
    int port,
    int nodeStep,
    int portStep,
    int inner,
    boolean portsFirst,
    int skip) {

  /** The length of rows where there is one row only. */
  static final int ONE_ROW = Integer.MAX_VALUE;

  static final int MAX_PORT = 0xFFFF;

  static final long NODE_MASK = 0xFFFF_FFFFL;

  /**
   * The shape of a range, or of its first part: nodes that differ in more than the last 32 bits do
   * not fit in one run.
   */
  public static RunShape of(AddressRange range) {
    return new RunShape(
        range.ipv6(),
        range.high(),
        range.low(),
        range.scope(),
        range.port(),
        range.nodes() > 1 ? 1 : 0,
        range.services() > 1 ? 1 : 0,
        range.services() > 1 && range.nodes() > 1 ? range.services() : ONE_ROW,
        range.services() > 1,
        0);
  }

  /** One row of IPv4 addresses, each {@code address << 16 | port}. */
  static RunShape row(long first, int nodeStep, int portStep) {
    long node = first >>> Short.SIZE;
    int port = (int) first & MAX_PORT;
    return new RunShape(false, 0, node, 0, port, nodeStep, portStep, ONE_ROW, nodeStep == 0, 0);
  }

  /**
   * One row of nodes or ports.
   *
   * @param first the first IPv4 address, {@code address << 16 | port}
   * @param step from each to the next
   * @return the row, or null if the step is neither one from node to node nor from port to port
   */
  public static @Nullable RunShape row(long first, long step) {
    if (step == 0 || first < 0) {
      return null;
    }
    if (step << (Long.SIZE - Short.SIZE) == 0) {
      long nodes = step >> Short.SIZE;
      return nodes == (int) nodes ? row(first, (int) nodes, 0) : null;
    }
    boolean sameNode = (first + step) >>> Short.SIZE == first >>> Short.SIZE;
    return sameNode ? row(first, 0, (int) step) : null;
  }

  /**
   * The same row, and behind it further rows of which only the first address is known.
   *
   * @param columns how long each row is
   * @param next the IPv4 address with which the second row begins
   * @return the shape, or null if that address begins no such row
   */
  public @Nullable RunShape withRows(int columns, long next) {
    long node = next >>> Short.SIZE;
    int nextPort = (int) next & MAX_PORT;
    long step = portsFirst ? node - low : nextPort - port;
    boolean begins = portsFirst ? nextPort == port : node == low;
    if (ipv6 || inner != ONE_ROW || !begins || step == 0 || step != (int) step) {
      return null;
    }
    return portsFirst
        ? with(low, port, (int) step, portStep, columns, 0)
        : with(low, port, nodeStep, (int) step, columns, 0);
  }

  /** The node at a position: an IPv4 address, or the last eight bytes of an IPv6 address. */
  long node(int position) {
    int place = skip + position;
    return low + (long) (portsFirst ? row(place) : column(place)) * nodeStep;
  }

  int port(int position) {
    int place = skip + position;
    return port + (portsFirst ? column(place) : row(place)) * portStep;
  }

  private int row(int place) {
    return place < inner ? 0 : place / inner;
  }

  private int column(int place) {
    return place < inner ? place : place % inner;
  }

  /** The address at a position, as a word if it is IPv4. */
  public void at(int position, AddressKey into) {
    if (ipv6) {
      into.setIpv6(high, node(position), port(position), 0, scope);
    } else {
      into.setIpv4(ipv4(position));
    }
  }

  /** The IPv4 address at a position, {@code address << 16 | port}. */
  long ipv4(int position) {
    return node(position) << Short.SIZE | port(position);
  }

  /**
   * How many words are the IPv4 addresses from a position on.
   *
   * @param words each {@code address << 16 | port}
   * @param from the first word
   * @param most how many words to look at
   */
  public int same(int position, long[] words, int from, int most) {
    int same = 0;
    while (same < most) {
      // Row by row, so that the formula is asked once for each.
      long next = ipv4(position + same);
      long step = portsFirst ? portStep : (long) nodeStep << Short.SIZE;
      int row = Math.min(most - same, restOfRow(position + same));
      int at = from + same;
      int end = at + row;
      while (at < end && words[at] == next) {
        at++;
        next += step;
      }
      same = at - from;
      if (at < end) {
        break;
      }
    }
    return same;
  }

  /** Where an address of the same family, scope and first eight bytes is; negative if nowhere. */
  long position(long node, int nodePort) {
    long nodes = steps(node - low, nodeStep);
    long ports = steps(nodePort - port, portStep);
    long column = portsFirst ? ports : nodes;
    long row = portsFirst ? nodes : ports;
    if ((column | row) < 0 || column >= inner || row > Integer.MAX_VALUE) {
      return -1;
    }
    long place = row * inner + column;
    return place < skip ? -1 : place - skip;
  }

  /** How many steps make a distance; negative if none do. */
  private static long steps(long distance, int step) {
    if (step == 1) {
      return distance;
    }
    if (distance == 0) {
      return 0;
    }
    if (step == 0) {
      return -1;
    }
    long steps = distance / step;
    return steps * step == distance ? steps : -1;
  }

  /**
   * The position of an address, not bounded by a count; negative if it is nowhere.
   *
   * @param isIpv6 whether the address is IPv6
   * @param upper its first eight bytes, 0 for IPv4
   * @param node its last eight bytes, or the IPv4 address
   * @param scopeAndPort {@code scope << 32 | port}
   */
  long position(boolean isIpv6, long upper, long node, long scopeAndPort) {
    return isIpv6 == ipv6 && upper == high && (int) (scopeAndPort >>> Integer.SIZE) == scope
        ? position(node, (int) scopeAndPort)
        : -1;
  }

  /** The position of an address, not bounded by a count; negative if it is nowhere. */
  long positionOf(AddressKey key) {
    if (key.isIpv6()) {
      return position(true, key.word(0), key.word(1), key.word(2));
    }
    long word = key.word(0);
    return key.isIpv4() ? position(false, 0, word >>> Short.SIZE, word & MAX_PORT) : -1;
  }

  /** Whether addresses of another shape could be the same at all. */
  boolean sameNetwork(RunShape other) {
    return ipv6 == other.ipv6
        && high == other.high
        && scope == other.scope
        && low >>> Integer.SIZE == other.low >>> Integer.SIZE;
  }

  /** The same addresses without the first ones. */
  public RunShape from(int position) {
    int lacking = inner == ONE_ROW ? 0 : column(skip + position);
    int begin = position - lacking;
    return with(node(begin), port(begin), nodeStep, portStep, inner, lacking);
  }

  private RunShape with(
      long node, int nodePort, int toNode, int toPort, int rowLength, int lacking) {
    return new RunShape(
        ipv6, high, node, scope, nodePort, toNode, toPort, rowLength, portsFirst, lacking);
  }

  /**
   * How many addresses from one on follow each other in another shape, too, if there are so many in
   * both.
   *
   * @param place the position of the first one in the other shape
   */
  int alike(int position, RunShape other, int place) {
    if (portsFirst != other.portsFirst || columnStep() != other.columnStep()) {
      return 1;
    }
    int row = restOfRow(position);
    int otherRow = other.restOfRow(place);
    boolean isStep = nodeStep == other.nodeStep && portStep == other.portStep;
    boolean isSame = row == otherRow && inner == other.inner && isStep;
    return isSame ? Integer.MAX_VALUE : Math.min(row, otherRow);
  }

  private int columnStep() {
    return portsFirst ? portStep : nodeStep;
  }

  /** Whether both steps are 1, or 0, so that the addresses fill their {@link #box}. */
  boolean isDense() {
    return (nodeStep | portStep) >>> 1 == 0;
  }

  /** Numbers from a first one to a last one; there are none if the last one is less. */
  record Interval(long first, long last) {
    /** How many numbers there are, a step apart. */
    long count(int step) {
      return step == 0 ? 1 : (last - first) / Math.abs((long) step) + 1;
    }

    /** The numbers between those that are a first and a last number of steps from a base. */
    private static Interval reached(long base, int step, int first, int last) {
      long one = base + (long) first * step;
      long other = base + (long) last * step;
      return new Interval(Math.min(one, other), Math.max(one, other));
    }

    /** The numbers of steps from a base into this interval. */
    private Interval steps(long base, int step) {
      if (step == 0) {
        return new Interval(0, first <= base && base <= last ? 0 : -1);
      }
      long least = (step > 0 ? first : last) - base;
      long most = (step > 0 ? last : first) - base;
      return new Interval(Math.max(Math.ceilDiv(least, step), 0), Math.floorDiv(most, step));
    }
  }

  /**
   * Bounds of addresses.
   *
   * @param nodes their last 32 bits
   */
  record Box(Interval nodes, Interval ports) {}

  /** Returns the bounds of the addresses from position 0 on; of whole rows if there are several. */
  Box box(int count) {
    int end = skip + count - 1;
    int row = row(end);
    int first = row == 0 ? skip : 0;
    int last = row == 0 ? end : inner - 1;
    return new Box(
        Interval.reached(
            low & NODE_MASK, nodeStep, portsFirst ? 0 : first, portsFirst ? row : last),
        Interval.reached(port, portStep, portsFirst ? first : 0, portsFirst ? last : row));
  }

  /** The rows or columns with nodes or ports that lie in a box. */
  Interval linesIn(Box box, boolean isPorts) {
    return isPorts ? box.ports.steps(port, portStep) : box.nodes.steps(low & NODE_MASK, nodeStep);
  }

  /** How many positions from 0 have a node and a port that exist. */
  public int limit() {
    long nodes = room(low & NODE_MASK, nodeStep, NODE_MASK);
    long ports = room(port, portStep, MAX_PORT);
    long columns = portsFirst ? ports : nodes;
    long rows = Math.min(portsFirst ? nodes : ports, Integer.MAX_VALUE);
    return (int) Math.min(columns < inner ? columns : rows * inner, Integer.MAX_VALUE) - skip;
  }

  /** How many numbers there are from one on in steps, until the last possible one or 0. */
  private static long room(long first, int step, long last) {
    long all = step > 0 ? last - first : first;
    return step == 0 ? Integer.MAX_VALUE : all / Math.abs((long) step) + 1;
  }

  /** Whether there can be such a formula: what was read may be damaged. */
  boolean isSound() {
    return inner > 0
        && skip >= 0
        && skip < inner
        && (ipv6 || (high == 0 && scope == 0 && low >>> Integer.SIZE == 0));
  }

  /** How many addresses a row has from a position on; {@link #ONE_ROW} if there is one row only. */
  int restOfRow(int position) {
    return inner - (inner == ONE_ROW ? 0 : (skip + position) % inner);
  }
}
