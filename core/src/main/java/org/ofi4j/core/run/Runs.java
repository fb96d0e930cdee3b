// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.slot.Slots;

/**
 * The runs of a store: successive indices whose addresses follow from a formula.
 *
 * <pre>
 *   word of the superblock   63 ............ 31   30 ............... 0
 *                            version            | unit of the runs; 0 if there are none
 *
 *   runs     0  count (4) | lower half of the version they came with (4) | each run, by first index:
 *
 *    0  first index (4) | count (4)
 *    8  inner (4)       | skip (4)
 *   16  node step (4)   | port step (4)
 *   24  low (8)
 *   32  high (8)
 *   40  port (2) | bit 0: IPv6 (1) | bit 0: ports first (1) | scope (4)
 *       bits 1 to 7 of both single bytes: checksum of the run
 *   48  generation (8)
 *   56  shares (4)      | indices that have slots (4), for the writer
 * </pre>
 *
 * <p><b>A slot goes before a run.</b> An index whose slot is 0 is an entry of the run that covers
 * it. With the store of its slot, the entry dies or gets another address. As long as a run covers
 * an index, its slot does not become 0, but for a run that has just been added: it is added first,
 * and then the slots of its indices that were used before become 0, so that its entries live.
 *
 * <p><b>Memory order.</b> Runs in memory never change. The writer writes all of them to other
 * memory, stores the word with release, and uses the former memory again behind a store fence. No
 * word comes again within 2<sup>33</sup> changes. A reader loads the word with acquire, reads the
 * runs unless it has read those of this word before, and loads the word again behind a load fence,
 * after all that it has read.
 *
 * <p>Any thread finds; one thread at a time changes.
 */
public final class Runs {
  /** The most runs: all of them are written with each change. */
  public static final int MOST = 4096;

  /** Bits of the word below the version. */
  private static final int UNIT_BITS = 31;

  private static final long UNIT_MASK = (1L << UNIT_BITS) - 1;

  // Places of fields, in each run but the count of all.

  private static final long NUMBER = 4;
  private static final int HEADER_BYTES = 8;
  private static final int RUN_BYTES = 64;
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
  private static final long SHARES = 56;
  private static final long SLOT_COUNT = 60;

  private static final int IPV6 = 1 << 16;
  private static final int PORTS_FIRST = 1 << 24;

  /** The bits of the checksum, in two parts. */
  private static final int CHECKSUM = 0xFEFE_0000;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final RunKeys keys;
  private final Slots slots;

  /** Whether several entries may have an address, of which the lowest index is the answer. */
  private final boolean several;

  /** A run, and how many of its indices have slots, and will have them after a change. */
  record Counted(Run run, int slots) {}

  /** The runs that a thread has read last. All pages of slots are known that came before them. */
  private volatile RunSnapshot known = RunSnapshot.NONE;

  /**
   * No runs, or those that the superblock leads to.
   *
   * @param slots go before runs
   * @param several whether several entries may have an address, of which a search answers with the
   *     one with the lowest index
   */
  public Runs(SlabAllocator allocator, long seed, Slots slots, boolean several) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.keys = new RunKeys(seed);
    this.slots = slots;
    this.several = several;
  }

  // For any thread.

  /**
   * All runs there are; what is read next is at least as new.
   *
   * @throws IllegalStateException if memory is damaged
   */
  public RunSnapshot present() {
    while (true) {
      long word = SegmentAccess.longAcquire(root, Superblock.RUNS);
      RunSnapshot seen = known;
      if (seen.version() == word) {
        return seen;
      }
      MemorySegment memory = memory(word);
      int number = memory == null ? 0 : memory.get(JAVA_INT, NUMBER);
      boolean isSame = unit(word) == unit(seen.version()) && number == seen.number();
      // A copy takes less time than to read the runs, so a writer without a pause delays no reader.
      long[] copy = isSame || memory == null ? new long[0] : memory.toArray(JAVA_LONG);
      slots.follow();
      if (isPresent(word)) {
        RunSnapshot found = isSame ? seen.at(word) : read(word, number, copy, seen);
        known = found;
        return found;
      }
    }
  }

  /** Whether these are still all runs, after all that was read so far. */
  public boolean isPresent(RunSnapshot seen) {
    return isPresent(seen.version());
  }

  private boolean isPresent(long word) {
    VarHandle.acquireFence();
    return SegmentAccess.longOpaque(root, Superblock.RUNS) == word;
  }

  /** The memory that a word leads to; null if there are no runs, or memory is damaged. */
  private @Nullable MemorySegment memory(long word) {
    int unit = unit(word);
    if (unit == 0 || !allocator.has(unit, 1)) {
      return null;
    }
    int count = memory(unit, 0).get(JAVA_INT, 0);
    return count <= 0 || count > MOST || !allocator.has(unit, units(count))
        ? null
        : memory(unit, count);
  }

  private MemorySegment memory(int unit, int count) {
    return allocator.segment(unit).asSlice(allocator.offset(unit), offset(count));
  }

  /**
   * Reads the runs of a copy. Those that have not changed are taken over from a former snapshot, as
   * most of the time goes to order runs by address.
   */
  private RunSnapshot read(long word, int number, long[] words, RunSnapshot before) {
    if (unit(word) == 0) {
      return RunSnapshot.empty(word);
    }
    if (words.length == 0) {
      throw new IllegalStateException("no runs can be read at " + Long.toHexString(word));
    }
    MemorySegment copy = MemorySegment.ofArray(words);
    int count = copy.get(JAVA_INT, 0);
    int common = Math.min(count, before.count());
    int start = 0;
    while (start < common && run(copy, offset(start)).equals(before.get(start))) {
      start++;
    }
    int same = 0;
    while (same < common - start
        && run(copy, offset(count - 1 - same)).equals(before.get(before.count() - 1 - same))) {
      same++;
    }
    int from = start == 0 ? 0 : before.get(start - 1).end();
    int to = same == 0 ? Integer.MAX_VALUE : before.get(before.count() - same).first();
    List<Run> others = new ArrayList<>(count - start - same);
    int end = from;
    for (int i = start; i < count - same; i++) {
      Run run = run(copy, offset(i));
      boolean isWritten =
          (copy.get(JAVA_INT, offset(i) + PORT_AND_FLAGS) & CHECKSUM) == checksum(copy, offset(i));
      if (!isWritten || !run.isSound() || run.first() < end || run.end() > to) {
        throw new IllegalStateException("no runs can be read at " + Long.toHexString(word));
      }
      others.add(run);
      end = run.end();
    }
    return before.with(word, number, from, to, others, keys);
  }

  private static Run run(MemorySegment segment, long at) {
    int portAndFlags = segment.get(JAVA_INT, at + PORT_AND_FLAGS);
    return new Run(
        segment.get(JAVA_INT, at),
        segment.get(JAVA_INT, at + COUNT),
        new RunShape(
            (portAndFlags & IPV6) != 0,
            segment.get(JAVA_LONG, at + HIGH),
            segment.get(JAVA_LONG, at + LOW),
            segment.get(JAVA_INT, at + SCOPE),
            portAndFlags & RunShape.MAX_PORT,
            segment.get(JAVA_INT, at + NODE_STEP),
            segment.get(JAVA_INT, at + PORT_STEP),
            segment.get(JAVA_INT, at + INNER),
            (portAndFlags & PORTS_FIRST) != 0,
            segment.get(JAVA_INT, at + SKIP)),
        segment.get(JAVA_LONG, at + GENERATION),
        segment.get(JAVA_INT, at + SHARES));
  }

  /** Whether there were no runs, when this was called. */
  public boolean isEmpty() {
    return unit(SegmentAccess.longAcquire(root, Superblock.RUNS)) == 0;
  }

  /**
   * The IPv4 address of an index, as {@code address << 16 | port}; for a caller that stores it as
   * {@link SegmentAccess#longInOrder} says. The runs are loaded before the slot: a page that is
   * added later changes the word.
   *
   * @return -1 if the index has a slot, or the address cannot be told in a few steps
   */
  public long ipv4InOrder(int index) {
    RunSnapshot seen = known;
    if (slots.pages().nearWordAcquire(index) != 0
        || !SegmentAccess.isNative(root)
        || SegmentAccess.longInOrder(root, Superblock.RUNS) != seen.version()) {
      return -1;
    }
    Run run = seen.at(index);
    return run == null ? -1 : run.ipv4(index);
  }

  /**
   * The index of the IPv4 address {@code address << 16 | port}.
   *
   * @return -1 if there is none, or it cannot be told in a few steps
   */
  public int findIpv4(long address) {
    RunSnapshot seen = known;
    // The slots that are looked at are loaded before the word.
    int index = findIpv4(seen, address);
    return index >= 0 && isPresent(seen) ? index : -1;
  }

  /** The index of an address, or -1; right if these runs {@link #isPresent are still present}. */
  public int find(RunSnapshot present, AddressKey key) {
    if (key.isIpv4()) {
      return findIpv4(present, key.word(0));
    }
    return key.isIpv6() ? find(present, true, key.word(0), key.word(1), key.word(2)) : -1;
  }

  /** As {@link #find}, of the IPv4 address {@code address << 16 | port}. */
  public int findIpv4(RunSnapshot present, long address) {
    return find(present, false, 0, address >>> Short.SIZE, address & RunShape.MAX_PORT);
  }

  private int find(RunSnapshot present, boolean ipv6, long high, long low, long scopeAndPort) {
    if (present.isEmpty()) {
      return -1;
    }
    long network = keys.network(ipv6, high, low, (int) (scopeAndPort >>> Integer.SIZE));
    RunOrder order = present.order();
    long key = RunKeys.byAddress(network, low, scopeAndPort & RunShape.MAX_PORT);
    int found = find(order, key, ipv6, high, low, scopeAndPort);
    if (found >= 0 && !several) {
      return found;
    }
    key = RunKeys.byPort(network, low, scopeAndPort & RunShape.MAX_PORT);
    int other = find(order, key, ipv6, high, low, scopeAndPort);
    return found < 0 || (other >= 0 && other < found) ? other : found;
  }

  /**
   * The lowest index of an address under one of its keys, any if there cannot be several; or -1.
   */
  private int find(RunOrder order, long key, boolean ipv6, long high, long low, long scopeAndPort) {
    int found = -1;
    for (int place = order.next(0, key, key); place >= 0; place = order.next(place + 1, key, key)) {
      int index = order.run(place).indexOf(ipv6, high, low, scopeAndPort);
      if (index >= 0 && (found < 0 || index < found) && slots.word(index) == 0) {
        found = index;
        if (!several) {
          break;
        }
      }
    }
    return found;
  }

  /** Bytes that all runs take. */
  public long usedBytes() {
    int count = present().count();
    return count == 0 ? 0 : (long) SlabAllocator.sizeOf(units(count)) * SlabAllocator.UNIT_BYTES;
  }

  // For the writer.

  /** The run that any index whose slot is 0 is an entry of; else null. */
  public @Nullable Run at(int index) {
    return present().at(index);
  }

  /** Whether there may be so many runs more. */
  public boolean hasRoom(int more) {
    return present().count() + more <= MOST;
  }

  /** The runs that may have one of some addresses. */
  public Set<Run> near(RunShape shape, int count) {
    RunOrder order = present().order();
    Set<Run> near = new HashSet<>();
    keys.near(shape, count, (least, last) -> order.addAll(least, last, near));
    return near;
  }

  /** Whether so many runs lie where some addresses do that one more would make searches slow. */
  public boolean isCrowded(RunShape shape, int count) {
    RunSnapshot now = present();
    boolean[] isCrowded = {false};
    // Over one key lies at most one interval of each run.
    if (now.count() >= RunOrder.MOST_OVER_KEY) {
      RunOrder order = now.order();
      keys.of(shape, count, (least, last) -> isCrowded[0] |= order.isCrowded(least, last));
    }
    return isCrowded[0];
  }

  /** Gives the same runs another word. So readers begin again, and look for new pages of slots. */
  public void renew() {
    RunSnapshot now = present();
    publish(now.at(next(unit(now.version()))));
  }

  /**
   * Puts a run in the place of those that have its indices, by one store. Runs that reach over its
   * ends keep their other indices.
   *
   * @param slotCount how many of its indices have slots, and will have them after this change
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void put(Run run, int slotCount) {
    List<Counted> parts = new ArrayList<>(3);
    Run first = at(run.first());
    if (first != null) {
      addPart(first, first.first(), run.first(), parts);
    }
    parts.add(new Counted(run, slotCount));
    Run last = at(run.end() - 1);
    if (last != null) {
      addPart(last, run.end(), last.end(), parts);
    }
    replace(parts.getFirst().run.first(), parts.getLast().run.end(), parts);
  }

  /** Adds a part of a run, if it has indices; counts those with slots, or the others of the run. */
  private void addPart(Run run, int from, int to, List<Counted> parts) {
    if (from < to) {
      int slotCount =
          to - from <= run.count() / 2
              ? slots.countUsed(from, to)
              : slotCount(run)
                  - slots.countUsed(run.first(), from)
                  - slots.countUsed(to, run.end());
      parts.add(new Counted(run.part(from, to), slotCount));
    }
  }

  /**
   * Replaces all runs, and counts how many of their indices have slots.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void replaceAll(List<Run> all) {
    replace(0, Integer.MAX_VALUE, all.stream().map(this::counted).toList());
  }

  Counted counted(Run run) {
    return new Counted(run, slots.countUsed(run.first(), run.end()));
  }

  /**
   * Replaces the runs that begin in an interval of indices, by one store. A run of which all
   * indices have slots is not added, as it says nothing about them.
   *
   * @param from the first index of the interval
   * @param to one more than the last one
   * @param added in the order of their indices, which are in the interval
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void replace(int from, int to, List<Counted> added) {
    List<Counted> kept = new ArrayList<>(added.size());
    List<Run> keptRuns = new ArrayList<>(added.size());
    for (Counted each : added) {
      if (each.slots < each.run.count()) {
        kept.add(each);
        keptRuns.add(each.run);
      }
    }
    RunSnapshot before = present();
    int start = before.firstFrom(from);
    int stop = before.firstFrom(to);
    int count = before.count() - (stop - start) + kept.size();
    if (count > MOST) {
      throw new IllegalStateException(count + " runs");
    }
    int unit = count == 0 ? 0 : allocator.allocate(units(count));
    try {
      long next = next(unit);
      RunSnapshot after = before.with(next, (int) (next >>> UNIT_BITS), from, to, keptRuns, keys);
      if (unit != 0) {
        write(before, start, stop, kept, after);
      }
      publish(after);
    } catch (OutOfMemoryError e) {
      if (unit != 0) {
        allocator.free(unit, units(count));
      }
      throw e;
    }
    if (before.count() > 0) {
      allocator.free(unit(before.version()), units(before.count()));
    }
  }

  private void write(
      RunSnapshot before, int start, int stop, List<Counted> added, RunSnapshot after) {
    MemorySegment to = memory(unit(after.version()), after.count());
    to.set(JAVA_INT, 0, after.count());
    to.set(JAVA_INT, NUMBER, after.number());
    if (before.count() > 0) {
      MemorySegment from = memory(unit(before.version()), before.count());
      int behind = offset(before.count()) - offset(stop);
      MemorySegment.copy(from, offset(0), to, offset(0), offset(start) - offset(0));
      MemorySegment.copy(from, offset(stop), to, offset(start + added.size()), behind);
    }
    for (int i = 0; i < added.size(); i++) {
      write(added.get(i).run, added.get(i).slots, to, offset(start + i));
    }
  }

  private static void write(Run run, int slotCount, MemorySegment segment, long at) {
    RunShape shape = run.shape();
    segment.set(JAVA_INT, at, run.first());
    segment.set(JAVA_INT, at + COUNT, run.count());
    segment.set(JAVA_INT, at + INNER, shape.inner());
    segment.set(JAVA_INT, at + SKIP, shape.skip());
    segment.set(JAVA_INT, at + NODE_STEP, shape.nodeStep());
    segment.set(JAVA_INT, at + PORT_STEP, shape.portStep());
    segment.set(JAVA_LONG, at + LOW, shape.low());
    segment.set(JAVA_LONG, at + HIGH, shape.high());
    int flags = (shape.ipv6() ? IPV6 : 0) | (shape.portsFirst() ? PORTS_FIRST : 0);
    segment.set(JAVA_INT, at + PORT_AND_FLAGS, shape.port() | flags);
    segment.set(JAVA_INT, at + SCOPE, shape.scope());
    segment.set(JAVA_LONG, at + GENERATION, run.generation());
    segment.set(JAVA_INT, at + SHARES, run.shares());
    segment.set(JAVA_INT, at + SLOT_COUNT, slotCount);
    segment.set(JAVA_INT, at + PORT_AND_FLAGS, shape.port() | flags | checksum(segment, at));
  }

  /**
   * Returns the checksum of a run, as bits of its flags. Nothing else tells that a formula is
   * damaged: addresses of entries with slots are found by cells, and records have hashes.
   */
  private static int checksum(MemorySegment run, long at) {
    long sum = 0;
    for (long field = 0; field < SHARES; field += Integer.BYTES) {
      int word = run.get(JAVA_INT, at + field);
      sum = (sum ^ (field == PORT_AND_FLAGS ? word & ~CHECKSUM : word)) * 0x9E37_79B9_7F4A_7C15L;
      sum ^= sum >>> 29;
    }
    sum = (sum ^ run.get(JAVA_INT, at + SHARES)) * 0x9E37_79B9_7F4A_7C15L;
    return (int) (sum >>> Integer.SIZE) & CHECKSUM;
  }

  private void publish(RunSnapshot now) {
    SegmentAccess.longRelease(root, Superblock.RUNS, now.version());
    // Memory that is not in use any more is written to after that.
    VarHandle.storeStoreFence();
    known = now;
  }

  /** The next word, which leads to runs at a unit. */
  private long next(int unit) {
    long version = (root.get(JAVA_LONG, Superblock.RUNS) >>> UNIT_BITS) + 1;
    return version << UNIT_BITS | unit;
  }

  /** How many indices of a run have slots. */
  public int slotCount(Run run) {
    RunSnapshot now = present();
    return allocator.segment(unit(now.version())).get(JAVA_INT, slotCountAt(now, run));
  }

  private long slotCountAt(RunSnapshot now, Run run) {
    return allocator.offset(unit(now.version())) + offset(now.firstFrom(run.first())) + SLOT_COUNT;
  }

  /**
   * Counts one more index of a run that has a slot. A run of which all indices have slots is
   * removed; if there is no memory for that, it stays, and says nothing about its indices.
   */
  public void addSlot(Run run) {
    RunSnapshot now = present();
    MemorySegment segment = allocator.segment(unit(now.version()));
    long at = slotCountAt(now, run);
    int slotCount = segment.get(JAVA_INT, at) + 1;
    segment.set(JAVA_INT, at, slotCount);
    if (slotCount == run.count()) {
      try {
        replace(run.first(), run.first() + 1, List.of());
      } catch (OutOfMemoryError e) {
        return;
      }
    }
  }

  /**
   * Counts the indices of each run that have slots again, and gives the runs another word, as
   * readers may not have seen the last page of slots; for a writer that follows one that died.
   *
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  public void restore() {
    if (!isEmpty()) {
      replaceAll(present().all());
    }
  }

  // For checks.

  /** The unit of the runs that a word leads to; 0 if there are none. */
  public static int unit(long word) {
    return (int) (word & UNIT_MASK);
  }

  /** Units of the memory of so many runs. */
  public static int units(int count) {
    return Math.ceilDiv(offset(count), SlabAllocator.UNIT_BYTES);
  }

  private static int offset(int run) {
    return HEADER_BYTES + run * RUN_BYTES;
  }
}
