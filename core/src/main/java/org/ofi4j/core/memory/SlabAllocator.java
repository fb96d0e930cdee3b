// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The memory of one store: a growing sequence of slabs in units of 64 bytes, of which blocks are
 * allocated and freed. Everything refers to a block by the number of its first unit, which means
 * the same to every process that sees the memory.
 *
 * <pre>
 *   31 30 ............. 13   12 ........ 0
 *    0  | number of the slab | unit in it      so what a unit is takes a shift and a mask
 *
 *   slab     0     1 to 8   9 to 16   17 to 24   ...   from 81 on
 *   units    64    8        16        32               8,192: half a megabyte
 * </pre>
 *
 * <p>After the first slab, 4 KiB, eight slabs make each doubling, so what is held beyond need is at
 * most an eighth. Slabs never move. The first units are the {@link Superblock}. Sizes of blocks are
 * rounded up to four for each doubling; a freed block waits in the list of its size, linked through
 * its first four bytes, and readers that still look at it must find out by themselves that it is
 * not theirs any more. Other blocks are cut from the <i>next units</i>: those of the latest slab
 * that were never used. If they are too few, they become smaller blocks, and the units of a free
 * extent, or of a new slab, are next.
 *
 * <p>A <i>free extent</i> has 32 units or more: unit of the next extent (4) | its units (4). There
 * are none before a writer has died and the next one has {@linkplain #restore found out} which
 * units are in use.
 *
 * <p>One thread at a time allocates and frees; any thread may call {@link #segment} and {@link
 * #offset}. What is only an object of this process, the array of slabs, is built from the memory
 * source, and goes on from there when another process took a slab.
 */
public final class SlabAllocator {
  public static final int UNIT_BYTES = 64;

  static final int UNIT_BITS = 30;

  /** The most units of a block. */
  public static final int MAX_UNITS = 1 << 13;

  private static final VarHandle SLABS;

  static {
    try {
      SLABS =
          MethodHandles.lookup().findVarHandle(SlabAllocator.class, "slabs", MemorySegment[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Units of the first slab, as a power of two. */
  private static final int FIRST_BITS = 6;

  /** Units of the largest slabs, half a megabyte, as a power of two. */
  private static final int MAX_BITS = 13;

  /** Units of the smallest free extents; fewer units become blocks. */
  private static final int LEAST_EXTENT = 32;

  /** Number of the first slab of the largest size. */
  private static final int LINEAR_SLAB = 1 + 8 * (MAX_BITS + 3 - FIRST_BITS);

  /** The most slabs: 64 GiB, so that the number of a unit has {@link #UNIT_BITS}. */
  private static final int MAX_SLABS = 1 << (UNIT_BITS - MAX_BITS);

  private final MemorySource memory;

  /** Whether other processes have this memory too. */
  private final boolean shared;

  /** How many pieces of it were looked at for slabs. */
  private int followed;

  private MemorySegment[] slabs = new MemorySegment[0];
  private long cleared;

  /**
   * A space with nothing but its root, or what there is in memory that other processes have.
   *
   * @throws OutOfMemoryError if there is no memory for the root
   */
  public SlabAllocator(MemorySource memory) {
    this.memory = memory;
    this.shared = memory.isShared();
    if (memory.pieces() == 0) {
      MemorySegment first = memory.allocate(slabBytes(0), tagOf(0));
      first.set(JAVA_INT, Superblock.NEXT_UNIT, Superblock.UNITS);
      first.set(JAVA_INT, Superblock.NEXT_UNITS, slabUnits(0) - Superblock.UNITS);
      memory.count();
      this.slabs = new MemorySegment[] {first};
    }
    followPieces();
  }

  /** Whether other processes have this memory too. */
  public boolean isShared() {
    return shared;
  }

  /** Looks for slabs that other processes took. */
  public void follow() {
    if (shared) {
      followPieces();
    }
  }

  private synchronized void followPieces() {
    for (int count = memory.pieces(); followed < count; followed++) {
      int slab = slabOf(memory.tag(followed));
      if (slab == slabs.length) {
        append(memory.piece(followed, slabBytes(slab)));
      }
    }
  }

  private void append(MemorySegment slab) {
    MemorySegment[] grown = Arrays.copyOf(slabs, slabs.length + 1);
    grown[slabs.length] = slab;
    // The zeros of the slab and the element of the array are there before the array is.
    SLABS.setRelease(this, grown);
    // And that before any unit of the slab is stored.
    VarHandle.storeStoreFence();
  }

  /** The first slab, which begins with the {@link Superblock}. */
  public MemorySegment root() {
    return slabs[0];
  }

  /**
   * The slab that a unit lies in.
   *
   * @param unit a unit that was given out once; for readers, loaded with acquire
   */
  public MemorySegment segment(int unit) {
    // Without acquire: who has the number of a unit has loaded it with acquire, and the array that
    // its slab is in was there before the number, unless another process took it.
    MemorySegment[] known = slabs;
    int slab = unit >>> MAX_BITS;
    return slab < known.length ? known[slab] : arrived(slab);
  }

  private MemorySegment arrived(int slab) {
    // The number of the unit may be from a thread that has found the slab there before.
    VarHandle.acquireFence();
    follow();
    return ((MemorySegment[]) SLABS.getAcquire(this))[slab];
  }

  /** Where a unit lies in its slab, in bytes. */
  public long offset(int unit) {
    return (long) (unit & MAX_UNITS - 1) * UNIT_BYTES;
  }

  /** Whether so many units are there to be looked at, from any number on. */
  public boolean has(int unit, int units) {
    int slab = unit >>> MAX_BITS;
    if (slab >= ((MemorySegment[]) SLABS.getAcquire(this)).length) {
      follow();
    }
    return slab < ((MemorySegment[]) SLABS.getAcquire(this)).length
        && slabUnits(slab) - (unit & MAX_UNITS - 1) >= units;
  }

  /** How many units there are in all slabs that are known here. */
  public long units() {
    return bytes() / UNIT_BYTES;
  }

  /**
   * Gives out a block.
   *
   * @param units its size, 1 to 8,192; {@link #sizeOf} says what it really gets
   * @return its first unit; the block is all zeros and lies in one slab
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public int allocate(int units) {
    int sizeClass = classOf(units);
    int size = size(sizeClass);
    MemorySegment root = root();
    long head = freeList(sizeClass);
    int block = root.get(JAVA_INT, head);
    if (block != 0) {
      MemorySegment segment = segment(block);
      long offset = offset(block);
      root.set(JAVA_INT, head, segment.get(JAVA_INT, offset));
      clear(block, size);
    } else {
      block = carve(size);
    }
    root.set(JAVA_LONG, Superblock.USED_UNITS, root.get(JAVA_LONG, Superblock.USED_UNITS) + size);
    return block;
  }

  /**
   * Takes a block back. What readers must see before it is used again has been stored; the fence
   * that puts it before is here.
   *
   * @param block its first unit
   * @param units the size that it was allocated with
   */
  public void free(int block, int units) {
    int sizeClass = classOf(units);
    VarHandle.storeStoreFence();
    link(block, sizeClass);
    MemorySegment root = root();
    long used = root.get(JAVA_LONG, Superblock.USED_UNITS) - size(sizeClass);
    root.set(JAVA_LONG, Superblock.USED_UNITS, used);
  }

  /** Bytes of all slabs that are known here. */
  public long bytes() {
    long bytes = 0;
    for (MemorySegment slab : (MemorySegment[]) SLABS.getAcquire(this)) {
      bytes += slab.byteSize();
    }
    return bytes;
  }

  /** Bytes of the blocks that are out. */
  public long usedBytes() {
    return root().get(JAVA_LONG, Superblock.USED_UNITS) * UNIT_BYTES;
  }

  /** Bytes of used blocks that were cleared so far, for tests of what a single call may do. */
  public long clearedBytes() {
    return cleared;
  }

  /** How many units a block has that was asked for with so many. */
  public static int sizeOf(int units) {
    return size(classOf(units));
  }

  /** The least class whose blocks are large enough. */
  public static int classOf(int units) {
    if (units <= 4) {
      return units - 1;
    }
    // Of the size less one, the two bits behind the highest say which quarter of the doubling.
    int last = units - 1;
    int high = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(last);
    return 4 * (high - 1) + (last >>> (high - 2) & 3);
  }

  /** Blocks of class 0, 1, 2, 3 have 1, 2, 3, 4 units; then 5, 6, 7, 8, 10, 12, 14, 16, 20 ... */
  public static int size(int sizeClass) {
    return sizeClass < 4 ? sizeClass + 1 : (5 + (sizeClass & 3)) << (sizeClass / 4 - 1);
  }

  /**
   * Makes all units free but those that are in use. For a writer that follows one that died, which
   * may have left free units in no list.
   *
   * @param isUsed whether a unit is in use
   */
  public void restore(IntPredicate isUsed) {
    MemorySegment root = root();
    root.asSlice(Superblock.FREE_BLOCKS, Superblock.FREE_BLOCKS_BYTES).fill((byte) 0);
    root.set(JAVA_INT, Superblock.FREE_EXTENTS, 0);
    root.set(JAVA_LONG, Superblock.NEXT_UNIT, 0);
    long used = 0;
    for (int slab = 0; slab < slabs.length; slab++) {
      int first = slab << MAX_BITS;
      int end = first + slabUnits(slab);
      int free = first;
      for (int unit = first; unit < end; unit++) {
        if (isUsed.test(unit)) {
          addFree(free, unit - free);
          free = unit + 1;
          used++;
        }
      }
      addFree(free, end - free);
    }
    root.set(JAVA_LONG, Superblock.USED_UNITS, used - Superblock.UNITS);
  }

  private void addFree(int start, int units) {
    if (units < LEAST_EXTENT) {
      linkAll(start, units);
      return;
    }
    MemorySegment segment = segment(start);
    segment.set(JAVA_INT, offset(start), root().get(JAVA_INT, Superblock.FREE_EXTENTS));
    segment.set(JAVA_INT, offset(start) + Integer.BYTES, units);
    root().set(JAVA_INT, Superblock.FREE_EXTENTS, start);
  }

  /** Takes a block from the next units, which are all zeros and in one slab. */
  private int carve(int size) {
    MemorySegment root = root();
    int next = root.get(JAVA_INT, Superblock.NEXT_UNIT);
    int units = root.get(JAVA_INT, Superblock.NEXT_UNITS);
    while (units < size) {
      linkAll(next, units);
      root.set(JAVA_INT, Superblock.NEXT_UNITS, 0);
      int extent = root.get(JAVA_INT, Superblock.FREE_EXTENTS);
      if (extent == 0) {
        next = slabs.length << MAX_BITS;
        units = slabUnits(slabs.length);
        grow();
      } else {
        MemorySegment segment = segment(extent);
        next = extent;
        units = segment.get(JAVA_INT, offset(extent) + Integer.BYTES);
        root.set(JAVA_INT, Superblock.FREE_EXTENTS, segment.get(JAVA_INT, offset(extent)));
        clear(extent, units);
      }
    }
    root.set(JAVA_INT, Superblock.NEXT_UNIT, next + size);
    root.set(JAVA_INT, Superblock.NEXT_UNITS, units - size);
    return next;
  }

  private void clear(int unit, int units) {
    long bytes = (long) units * UNIT_BYTES;
    segment(unit).asSlice(offset(unit), bytes).fill((byte) 0);
    cleared += bytes;
  }

  /** Makes free blocks of successive units of a slab. */
  private void linkAll(int first, int units) {
    int next = first;
    for (int left = units; left > 0; ) {
      int sizeClass = classOf(left);
      if (size(sizeClass) > left) {
        sizeClass--;
      }
      link(next, sizeClass);
      next += size(sizeClass);
      left -= size(sizeClass);
    }
  }

  private void link(int block, int sizeClass) {
    long head = freeList(sizeClass);
    segment(block).set(JAVA_INT, offset(block), root().get(JAVA_INT, head));
    root().set(JAVA_INT, head, block);
  }

  /** Where the superblock has the first free block of a class; each has the next one. */
  public static long freeList(int sizeClass) {
    return Superblock.FREE_BLOCKS + (long) sizeClass * Integer.BYTES;
  }

  private void grow() {
    int number = slabs.length;
    if (number == MAX_SLABS) {
      throw new OutOfMemoryError("address vector: 64 GiB of cells and records are in use");
    }
    MemorySegment slab = memory.allocate(slabBytes(number), tagOf(number));
    memory.count();
    if (shared) {
      follow();
    } else {
      append(slab);
    }
  }

  /** The number of the slab that a piece of memory with a tag is; negative if it is none. */
  public static int slabOf(int tag) {
    return -1 - tag;
  }

  private static int tagOf(int slab) {
    return -1 - slab;
  }

  public static long slabBytes(int slab) {
    return (long) slabUnits(slab) * UNIT_BYTES;
  }

  public static int slabUnits(int slab) {
    if (slab >= LINEAR_SLAB) {
      return 1 << MAX_BITS;
    }
    return slab == 0 ? 1 << FIRST_BITS : 1 << (FIRST_BITS - 3 + (slab - 1) / 8);
  }
}
