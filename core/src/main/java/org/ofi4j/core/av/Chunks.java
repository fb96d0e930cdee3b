package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A growing sequence of elements of one size, in chunks of memory that never move. With {@code f}
 * and {@code m} for the two sizes that are given as powers of two:
 *
 * <pre>
 *   chunk    elements                        so that
 *   0        [0, 2^f)                        a small sequence costs little
 *   j        [2^(f+j-1), 2^(f+j))            while doubling, up to 2^m
 *   m-f+k    [k * 2^m, (k+1) * 2^m)          a large one grows by small steps
 * </pre>
 *
 * <p>One thread at a time grows it. Any thread may read: the array of chunks is never changed but
 * replaced, by one release store, after the new chunk is ready.
 */
final class Chunks {
  private static final VarHandle CHUNKS;

  static {
    try {
      CHUNKS = MethodHandles.lookup().findVarHandle(Chunks.class, "chunks", MemorySegment[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySource memory;
  private final int stride;
  private final int firstBits;
  private final int maxBits;

  private MemorySegment[] chunks = {};
  private volatile long capacity;

  /**
   * An empty sequence.
   *
   * @param memory where chunks come from
   * @param stride bytes of an element
   * @param firstBits logarithm of the number of elements in the first chunk
   * @param maxBits logarithm of the most elements in a chunk
   */
  Chunks(MemorySource memory, int stride, int firstBits, int maxBits) {
    this.memory = memory;
    this.stride = stride;
    this.firstBits = firstBits;
    this.maxBits = maxBits;
  }

  int stride() {
    return stride;
  }

  /** How many elements the chunks at hand take. */
  long capacity() {
    return capacity;
  }

  /**
   * The chunk that an element lies in.
   *
   * @param element any number
   * @return its chunk, or null if there is none yet
   */
  @Nullable MemorySegment chunk(int element) {
    MemorySegment[] present = (MemorySegment[]) CHUNKS.getAcquire(this);
    int number = chunkOf(element);
    return number < present.length ? present[number] : null;
  }

  /**
   * The chunk of an element that is known to exist.
   *
   * @param element an element below {@link #capacity}
   * @return its chunk
   */
  MemorySegment segment(int element) {
    return ((MemorySegment[]) CHUNKS.getAcquire(this))[chunkOf(element)];
  }

  /**
   * Where an element lies in its chunk.
   *
   * @param element an element
   * @return its offset in bytes
   */
  long offset(int element) {
    int position;
    if (element >>> maxBits != 0) {
      position = element & (1 << maxBits) - 1;
    } else if (element >>> firstBits != 0) {
      position = element ^ Integer.highestOneBit(element);
    } else {
      position = element;
    }
    return (long) position * stride;
  }

  /**
   * How many elements follow in the same chunk.
   *
   * @param element an element
   * @return the number, itself included
   */
  int roomFrom(int element) {
    int size;
    if (element >>> maxBits != 0) {
      size = 1 << maxBits;
    } else {
      size = element >>> firstBits != 0 ? Integer.highestOneBit(element) : 1 << firstBits;
    }
    return size - (int) (offset(element) / stride);
  }

  /**
   * Grows until an element exists.
   *
   * @param element the element
   * @throws OutOfMemoryError if memory ran out; chunks that were added stay
   */
  void ensure(int element) {
    for (long present = capacity; element >= present; present = capacity) {
      int number = chunks.length;
      long size = Math.min(Math.max(present, 1L << firstBits), 1L << maxBits);
      MemorySegment chunk = memory.allocate(size * stride);
      MemorySegment[] grown = Arrays.copyOf(chunks, number + 1);
      grown[number] = chunk;
      // The zeros of the chunk and the element of the array are there before the array is.
      CHUNKS.setRelease(this, grown);
      capacity = present + size;
    }
  }

  private int chunkOf(int element) {
    int high = element >>> maxBits;
    if (high != 0) {
      return maxBits - firstBits + high;
    }
    return Integer.SIZE - Integer.numberOfLeadingZeros(element | (1 << firstBits) - 1) - firstBits;
  }
}
