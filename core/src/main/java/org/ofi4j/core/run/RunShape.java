// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;

/**
 * Addresses that follow from their position: the formula of a run, without indices and without end.
 * A value; the arithmetic is that of {@link Progression}.
 *
 * <p>All nodes of an IPv6 run share the first 96 bits, so that nodes are numbers of 32 bits for
 * both families.
 *
 * @param ipv6 whether the addresses are IPv6
 * @param high the first eight bytes of IPv6 addresses, else 0
 * @param low the last eight bytes of the IPv6 address at position {@code -skip}, or that IPv4
 *     address
 * @param scope of IPv6 addresses, else 0
 * @param port the port at position {@code -skip}
 * @param nodeStep from node to node, 0 if there is one node only
 * @param portStep from port to port, 0 if there is one port only
 * @param inner the length of rows, {@link Progression#ONE_ROW} if there is one row only
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

  static final int MAX_PORT = 0xFFFF;

  private static final long NODE_MASK = 0xFFFF_FFFFL;

  private static final int IPV4_FORMAT = AddressFormat.SOCKADDR_IN.number();
  private static final int IPV6_FORMAT = AddressFormat.SOCKADDR_IN6.number();

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
        range.services() > 1 && range.nodes() > 1 ? range.services() : Progression.ONE_ROW,
        range.services() > 1,
        0);
  }

  /** One row of IPv4 addresses, each {@code address << 16 | port}. */
  static RunShape row(long first, int nodeStep, int portStep) {
    return new RunShape(
        false,
        0,
        first >>> Short.SIZE,
        0,
        (int) first & MAX_PORT,
        nodeStep,
        portStep,
        Progression.ONE_ROW,
        nodeStep == 0,
        0);
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
    if (ipv6 || inner != Progression.ONE_ROW || !begins || step == 0 || step != (int) step) {
      return null;
    }
    return with(
        low,
        port,
        portsFirst ? (int) step : nodeStep,
        portsFirst ? portStep : (int) step,
        columns,
        0);
  }

  /** The node at a position: an IPv4 address, or the last eight bytes of an IPv6 address. */
  long node(int position) {
    return low + Progression.nodeDelta(skip + position, nodeStep, inner, portsFirst);
  }

  int port(int position) {
    return port + Progression.portDelta(skip + position, portStep, inner, portsFirst);
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
    long place =
        Progression.position(node - low, nodeStep, nodePort - port, portStep, inner, portsFirst);
    return place < skip ? -1 : place - skip;
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
    if (isIpv6(key)) {
      return position(true, key.word(0), key.word(1), key.word(2));
    }
    long word = key.word(0);
    return isIpv4(key) ? position(false, 0, word >>> Short.SIZE, word & MAX_PORT) : -1;
  }

  /** How many steps along ports or nodes make a distance; negative if none do. */
  long steps(long distance, boolean ports) {
    return Progression.steps(distance, ports ? portStep : nodeStep);
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
    int begin = skip + position;
    if (inner == Progression.ONE_ROW) {
      return with(node(position), port(position), nodeStep, portStep, inner, 0);
    }
    int row = begin - begin % inner - skip;
    return with(
        low + Progression.nodeDelta(skip + row, nodeStep, inner, portsFirst),
        port + Progression.portDelta(skip + row, portStep, inner, portsFirst),
        nodeStep,
        portStep,
        inner,
        begin % inner);
  }

  private RunShape with(
      long node, int nodePort, int toNode, int toPort, int rowLength, int lacking) {
    return new RunShape(
        ipv6, high, node, scope, nodePort, toNode, toPort, rowLength, portsFirst, lacking);
  }

  /** How many positions from 0 have a node and a port that exist. */
  public int limit() {
    long nodes = room(low & NODE_MASK, nodeStep, NODE_MASK);
    long ports = room(port, portStep, MAX_PORT);
    long columns = portsFirst ? ports : nodes;
    long rows = portsFirst ? nodes : ports;
    long all = columns < inner ? columns : Math.min(rows, Integer.MAX_VALUE) * inner;
    return (int) Math.min(all, Integer.MAX_VALUE) - skip;
  }

  /** How many numbers there are from one on in steps, until the last possible one or 0. */
  private static long room(long first, int step, long last) {
    if (step == 0) {
      return Integer.MAX_VALUE;
    }
    return (step > 0 ? last - first : first) / Math.abs((long) step) + 1;
  }

  /** Whether there can be such a formula: what was read may be damaged. */
  boolean isSound() {
    return inner > 0
        && skip >= 0
        && skip < inner
        && (ipv6 || (high == 0 && scope == 0 && low >>> Integer.SIZE == 0));
  }

  /** Whether a key is an IPv4 address, or text that spells one. */
  public static boolean isIpv4(AddressKey key) {
    return key.format() == IPV4_FORMAT;
  }

  /** Whether a key is an IPv6 address, or text that spells one. */
  static boolean isIpv6(AddressKey key) {
    return key.format() == IPV6_FORMAT;
  }

  int restOfRow(int position) {
    return inner - (inner == Progression.ONE_ROW ? 0 : (skip + position) % inner);
  }
}
