// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * The records of runs, a unit of {@link SlabAllocator} each: successive indices whose addresses
 * follow from a {@link RunShape}.
 *
 * <pre>
 *    0  first index (4) | count (4)
 *    8  inner (4)       | skip (4)
 *   16  node step (4)   | port step (4)
 *   24  low (8)
 *   32  high (8)
 *   40  port (2) | 1 if IPv6 (1) | 1 if ports first (1) | scope (4)
 *   48  generation (8)
 *   56  reach (4)       | shares (4)
 * </pre>
 *
 * <p>{@code generation} is that of all its entries; {@code shares} is how many insertions more than
 * one each of them has. {@code reach} is the count that the keys cover under which the record is
 * found by address, at least {@code count}.
 *
 * <p>Only count and shares change while readers can get at a record. <b>The count decides</b>: it
 * is stored with release as the last thing that makes entries live, and as the first thing that
 * takes the end of a run away. Everything else is there before an order names the record, and stays
 * until after the last order has ceased to. What a reader made of a record counts only if the root
 * of the order that led to it is unchanged after that.
 */
public record RunRecords(SlabAllocator allocator) {
  public static final int UNITS = 1;

  /** The most shares that entries of a run can have in common. */
  public static final int MAX_SHARES = Integer.MAX_VALUE / 2;

  private static final long FIRST = 0;
  private static final long COUNT = 4;
  private static final long INNER = 8;
  private static final long SKIP = 12;
  private static final long NODE_STEP = 16;
  private static final long PORT_STEP = 20;
  private static final long LOW = 24;
  private static final long HIGH = 32;
  private static final long PORT_AND_FLAGS = 40;
  private static final long SCOPE = 44;
  private static final long GENERATION = 48;
  private static final long SHARES = 60;
  private static final long REACH = 56;

  private static final long NODE_MASK = 0xFFFF_FFFFL;
  private static final long NETWORK_MASK = ~NODE_MASK;

  private static final int IPV6 = 1 << 16;
  private static final int PORTS_FIRST = 1 << 24;

  /**
   * Makes a record of a run, with a count of 0.
   *
   * @param first its first index
   * @param reach how many entries its keys will cover
   * @throws OutOfMemoryError if memory ran out
   */
  int create(int first, RunShape shape, int reach, long generation, int shares) {
    int run = allocator.allocate(UNITS);
    MemorySegment segment = allocator.segment(run);
    long at = allocator.offset(run);
    segment.set(JAVA_INT, at + FIRST, first);
    segment.set(JAVA_INT, at + INNER, shape.inner());
    segment.set(JAVA_INT, at + SKIP, shape.skip());
    segment.set(JAVA_INT, at + NODE_STEP, shape.nodeStep());
    segment.set(JAVA_INT, at + PORT_STEP, shape.portStep());
    segment.set(JAVA_LONG, at + LOW, shape.low());
    segment.set(JAVA_LONG, at + HIGH, shape.high());
    int flags = (shape.ipv6() ? IPV6 : 0) | (shape.portsFirst() ? PORTS_FIRST : 0);
    segment.set(JAVA_INT, at + PORT_AND_FLAGS, shape.port() | flags);
    segment.set(JAVA_INT, at + SCOPE, shape.scope());
    segment.set(JAVA_LONG, at + GENERATION, generation);
    segment.set(JAVA_INT, at + SHARES, shares);
    segment.set(JAVA_INT, at + REACH, reach);
    return run;
  }

  /** Takes a record back that no order names any more. */
  void free(int run) {
    allocator.free(run, UNITS);
  }

  public int first(int run) {
    return allocator.segment(run).get(JAVA_INT, allocator.offset(run) + FIRST);
  }

  /** How many entries there are; orders what is read next behind it. */
  public int count(int run) {
    return SegmentAccess.intAcquire(allocator.segment(run), allocator.offset(run) + COUNT);
  }

  /** The one store that makes entries at the end live, or ends them. */
  void setCount(int run, int count) {
    SegmentAccess.intRelease(allocator.segment(run), allocator.offset(run) + COUNT, count);
  }

  public long generation(int run) {
    return allocator.segment(run).get(JAVA_LONG, allocator.offset(run) + GENERATION);
  }

  public int shares(int run) {
    return SegmentAccess.intAcquire(allocator.segment(run), allocator.offset(run) + SHARES);
  }

  public void setShares(int run, int shares) {
    SegmentAccess.intRelease(allocator.segment(run), allocator.offset(run) + SHARES, shares);
  }

  public int reach(int run) {
    return allocator.segment(run).get(JAVA_INT, allocator.offset(run) + REACH);
  }

  /** For the writer. */
  void setReach(int run, int reach) {
    allocator.segment(run).set(JAVA_INT, allocator.offset(run) + REACH, reach);
  }

  /** The formula of a run; for the writer. */
  public RunShape shape(int run) {
    MemorySegment segment = allocator.segment(run);
    long at = allocator.offset(run);
    int portAndFlags = segment.get(JAVA_INT, at + PORT_AND_FLAGS);
    return new RunShape(
        (portAndFlags & IPV6) != 0,
        segment.get(JAVA_LONG, at + HIGH),
        segment.get(JAVA_LONG, at + LOW),
        segment.get(JAVA_INT, at + SCOPE),
        portAndFlags & RunShape.MAX_PORT,
        segment.get(JAVA_INT, at + NODE_STEP),
        segment.get(JAVA_INT, at + PORT_STEP),
        segment.get(JAVA_INT, at + INNER),
        (portAndFlags & PORTS_FIRST) != 0,
        segment.get(JAVA_INT, at + SKIP));
  }

  /** What does not change of a run, and where its count is. */
  RunViews.View view(int run) {
    long countOffset = allocator.offset(run) + COUNT;
    return new RunViews.View(allocator.segment(run), countOffset, first(run), shape(run));
  }

  /** Whether a run has an entry at an index, holes not considered. */
  boolean covers(int run, int index) {
    MemorySegment segment = allocator.segment(run);
    long at = allocator.offset(run);
    int position = index - segment.get(JAVA_INT, at + FIRST);
    return position >= 0 && position < SegmentAccess.intAcquire(segment, at + COUNT);
  }

  /** {@code address << 16 | port} at an index that a run {@link #covers}; -1 if it is IPv6. */
  long ipv4(int run, int index) {
    MemorySegment segment = allocator.segment(run);
    long at = allocator.offset(run);
    int portAndFlags = segment.get(JAVA_INT, at + PORT_AND_FLAGS);
    return (portAndFlags & IPV6) == 0 && segment.get(JAVA_INT, at + INNER) > 0
        ? word(segment, at, portAndFlags, index)
        : -1;
  }

  /** Reads the address at an index that a run {@link #covers}. */
  void load(int run, int index, AddressKey into) {
    MemorySegment segment = allocator.segment(run);
    long at = allocator.offset(run);
    int portAndFlags = segment.get(JAVA_INT, at + PORT_AND_FLAGS);
    long word = word(segment, at, portAndFlags, index);
    if ((portAndFlags & IPV6) == 0) {
      into.setIpv4(word);
    } else {
      // All nodes of a run have the same bits above the last 32.
      long low =
          (segment.get(JAVA_LONG, at + LOW) & NETWORK_MASK) | (word >>> Short.SIZE & NODE_MASK);
      into.setIpv6(
          segment.get(JAVA_LONG, at + HIGH),
          low,
          (int) word & RunShape.MAX_PORT,
          0,
          segment.get(JAVA_INT, at + SCOPE));
    }
  }

  /** {@code node << 16 | port} at an index; of an IPv6 node only the last 32 bits are right. */
  private static long word(MemorySegment segment, long at, int portAndFlags, int index) {
    boolean portsFirst = (portAndFlags & PORTS_FIRST) != 0;
    int position = index - segment.get(JAVA_INT, at + FIRST) + segment.get(JAVA_INT, at + SKIP);
    // Not 0, not even in memory that has become something else.
    int inner = Math.max(1, segment.get(JAVA_INT, at + INNER));
    int nodeStep = segment.get(JAVA_INT, at + NODE_STEP);
    int portStep = segment.get(JAVA_INT, at + PORT_STEP);
    long node =
        segment.get(JAVA_LONG, at + LOW)
            + Progression.nodeDelta(position, nodeStep, inner, portsFirst);
    int port =
        (portAndFlags & RunShape.MAX_PORT)
            + Progression.portDelta(position, portStep, inner, portsFirst);
    return node << Short.SIZE | port;
  }

  /**
   * Finds an address in a run.
   *
   * @param ipv6 whether the address is IPv6
   * @param high its first eight bytes, 0 for IPv4
   * @param low its last eight bytes, or the IPv4 address
   * @param scopeAndPort {@code scope << 32 | port}
   * @return its index, holes not considered; -1 if the run does not have it
   */
  int indexOf(int run, boolean ipv6, long high, long low, long scopeAndPort) {
    MemorySegment segment = allocator.segment(run);
    long at = allocator.offset(run);
    int count = SegmentAccess.intAcquire(segment, at + COUNT);
    int portAndFlags = segment.get(JAVA_INT, at + PORT_AND_FLAGS);
    if (ipv6 != ((portAndFlags & IPV6) != 0)
        || high != segment.get(JAVA_LONG, at + HIGH)
        || (int) (scopeAndPort >>> Integer.SIZE) != segment.get(JAVA_INT, at + SCOPE)) {
      return -1;
    }
    long position =
        Progression.position(
            low - segment.get(JAVA_LONG, at + LOW),
            segment.get(JAVA_INT, at + NODE_STEP),
            (int) scopeAndPort - (portAndFlags & RunShape.MAX_PORT),
            segment.get(JAVA_INT, at + PORT_STEP),
            segment.get(JAVA_INT, at + INNER),
            (portAndFlags & PORTS_FIRST) != 0);
    long place = position - segment.get(JAVA_INT, at + SKIP);
    return position < 0 || place < 0 || place >= count
        ? -1
        : segment.get(JAVA_INT, at + FIRST) + (int) place;
  }
}
