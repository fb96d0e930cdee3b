// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.share.NamedVector;

/**
 * The authorization keys of a vector, which several processes may have: which number each has, who
 * holds it, and how many entries are under it. A key itself is never here, only a {@linkplain
 * KeyedHash#fingerprint fingerprint} by which a process that has the key finds its number.
 *
 * <pre>
 *   slot   0 next (4): unit of the slot with the next number, 0 behind the last
 *          4 entries (4): how many are under the key
 *          8 0 (24)
 *         32 fingerprint (32), zeros while the slot is free
 *         64 holders (128): bit p % 64 of word p / 64: participant p holds the key    192 bytes
 * </pre>
 *
 * <p>A word in the root leads to slot 0. A slot is used as long as it has a holder or an entry; so
 * its number is that of one key for as long as any process or entry goes by it. It is taken by the
 * one store of its first holder, behind the fingerprint, and free again by the one store that takes
 * the last holder or entry away; what is in a free slot means nothing. Slots never go away.
 *
 * <p>One thread of all processes writes at a time; any thread may ask whether a slot is {@link
 * #isUsed used}.
 */
public final class KeySlots {
  public static final int UNITS = 3;

  /** More than any domain has; so a list that leads back to itself is found out. */
  public static final int MOST = 1 << 16;

  private static final int ENTRIES = 4;
  private static final int FINGERPRINT = 32;
  private static final int HOLDERS = 64;
  public static final int PARTICIPANTS = NamedVector.MOST_PARTICIPANTS;

  private final SlabAllocator allocator;

  // What the writer knows of; for it alone.
  private int[] units = {};
  private int count;

  /** The slots that the root tells of. */
  public KeySlots(SlabAllocator allocator) {
    this.allocator = allocator;
  }

  // For any thread.

  /** Whether a number is that of a key that somebody holds or that entries are under. */
  public boolean isUsed(int number) {
    int unit = find(number);
    return unit != 0 && isUsedAt(unit);
  }

  /** The unit of a slot; 0 if there is none. */
  private int find(int number) {
    int unit = number < 0 || number >= MOST ? 0 : next(0);
    for (int i = 0; unit != 0 && i < number; i++) {
      unit = next(unit);
    }
    return unit;
  }

  /** The fingerprint of a slot, as long as it is used; any thread may ask for it, as tests do. */
  public byte[] readFingerprint(int number) {
    return fingerprintAt(find(number));
  }

  private byte[] fingerprintAt(int unit) {
    return allocator
        .segment(unit)
        .asSlice(allocator.offset(unit) + FINGERPRINT, KeyedHash.FINGERPRINT_BYTES)
        .toArray(JAVA_BYTE);
  }

  /** The unit of the slot behind one; of the first slot behind 0. */
  private int next(int unit) {
    return unit == 0
        ? SegmentAccess.intAcquire(allocator.root(), Superblock.KEYS)
        : SegmentAccess.intAcquire(allocator.segment(unit), allocator.offset(unit));
  }

  /** Bytes that the slots take, those too that other processes made. */
  public long usedBytes() {
    long slots = 0;
    for (int unit = next(0); unit != 0 && slots < MOST; unit = next(unit)) {
      slots++;
    }
    return slots * UNITS * SlabAllocator.UNIT_BYTES;
  }

  private boolean isUsedAt(int unit) {
    return entriesAt(unit) != 0 || isHeldAt(unit);
  }

  private int entriesAt(int unit) {
    return SegmentAccess.intOpaque(allocator.segment(unit), allocator.offset(unit) + ENTRIES);
  }

  private boolean isHeldAt(int unit) {
    MemorySegment segment = allocator.segment(unit);
    long holders = allocator.offset(unit) + HOLDERS;
    for (int word = 0; word < PARTICIPANTS / Long.SIZE; word++) {
      if (SegmentAccess.longOpaque(segment, holders + (long) word * Long.BYTES) != 0) {
        return true;
      }
    }
    return false;
  }

  // For the writer.

  /** Looks at the slots that other processes made. */
  public void follow() {
    for (int unit = next(count == 0 ? 0 : units[count - 1]); unit != 0; unit = next(unit)) {
      append(unit);
    }
  }

  private void append(int unit) {
    if (count == MOST) {
      throw new IllegalStateException("there are more than " + MOST + " key slots");
    }
    if (count == units.length) {
      units = Arrays.copyOf(units, Math.max(4, 2 * count));
    }
    units[count++] = unit;
  }

  /** How many slots there are, free or used. */
  public int count() {
    return count;
  }

  public int unit(int number) {
    if (number < 0 || number >= count) {
      throw new IllegalStateException("there is no key slot " + number + " of " + count);
    }
    return units[number];
  }

  /** The number of the key that has a fingerprint, or -1. */
  public int find(byte[] fingerprint) {
    for (int number = 0; number < count; number++) {
      if (isUsedAt(units[number]) && Arrays.equals(fingerprint(number), fingerprint)) {
        return number;
      }
    }
    return -1;
  }

  /** The lowest number that no key has. */
  public int unused() {
    int number = 0;
    while (number < count && isUsedAt(units[number])) {
      number++;
    }
    return number;
  }

  /**
   * Gives a number to a key. It is the key's once somebody {@linkplain #hold holds} it.
   *
   * @param number one that no key has; at most one more than there are
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void prepare(int number, byte[] fingerprint) {
    if (number == count) {
      int unit = allocator.allocate(UNITS);
      MemorySegment link = count == 0 ? allocator.root() : allocator.segment(units[count - 1]);
      long offset = count == 0 ? Superblock.KEYS : allocator.offset(units[count - 1]);
      append(unit);
      // Behind its zeros.
      SegmentAccess.intRelease(link, offset, unit);
    }
    MemorySegment.copy(
        fingerprint,
        0,
        allocator.segment(unit(number)),
        JAVA_BYTE,
        allocator.offset(unit(number)) + FINGERPRINT,
        KeyedHash.FINGERPRINT_BYTES);
  }

  public byte[] fingerprint(int number) {
    return fingerprintAt(unit(number));
  }

  /** Lets a participant hold a key; again changes nothing. */
  public void hold(int number, int participant) {
    setHolders(number, participant, holders(number, participant) | 1L << participant);
  }

  /** A participant does not hold a key any more. */
  public void letGo(int number, int participant) {
    setHolders(number, participant, holders(number, participant) & ~(1L << participant));
    clearIfUnused(number);
  }

  public boolean isHeldBy(int number, int participant) {
    return (holders(number, participant) >>> participant & 1) != 0;
  }

  private long holders(int number, int participant) {
    return allocator.segment(unit(number)).get(JAVA_LONG, holdersOffset(number, participant));
  }

  private void setHolders(int number, int participant, long word) {
    // The fingerprint was stored before.
    SegmentAccess.longRelease(
        allocator.segment(unit(number)), holdersOffset(number, participant), word);
  }

  private long holdersOffset(int number, int participant) {
    return allocator.offset(unit(number)) + HOLDERS + (long) (participant / Long.SIZE) * Long.BYTES;
  }

  /** Takes from some owners, participants plus 1, all keys that they hold. */
  public void letGoOf(Set<Integer> owners) {
    for (int number = 0; number < count; number++) {
      for (int owner : owners) {
        if (isHeldBy(number, owner - 1)) {
          letGo(number, owner - 1);
        }
      }
    }
  }

  public int entries(int number) {
    return entriesAt(unit(number));
  }

  public void countEntries(int number, int change) {
    int unit = unit(number);
    int entries = entriesAt(unit) + change;
    allocator.segment(unit).set(JAVA_INT, allocator.offset(unit) + ENTRIES, entries);
    if (entries == 0) {
      clearIfUnused(number);
    }
  }

  /** Sets how many entries are under each key; for a writer that follows one that died. */
  public void restore(int[] entries) {
    for (int number = 0; number < count; number++) {
      int unit = unit(number);
      allocator.segment(unit).set(JAVA_INT, allocator.offset(unit) + ENTRIES, entries[number]);
      clearIfUnused(number);
    }
  }

  /** A fingerprint is there no longer than its key is in use. */
  public void clearIfUnused(int number) {
    int unit = unit(number);
    if (!isUsedAt(unit)) {
      // Nobody goes by it before it is free for all to see.
      VarHandle.storeStoreFence();
      long start = allocator.offset(unit) + FINGERPRINT;
      allocator.segment(unit).asSlice(start, KeyedHash.FINGERPRINT_BYTES).fill((byte) 0);
    }
  }
}
