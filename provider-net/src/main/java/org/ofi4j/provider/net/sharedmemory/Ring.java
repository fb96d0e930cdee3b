// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A stream of bytes in one direction between two processes: a ring in memory that both have mapped,
 * with one writer and one reader. Each process has an object of its own over the same memory:
 *
 * <pre>
 *   offset   0  u64  bytes written so far                  stored by the writer
 *   offset   8  u64  1 + bytes of frames before the ring   stored by the writer, once; 0 before
 *   offset  16  u32  1: ring the bell when there is space  set by the writer, cleared by the reader
 *   offset 128  u64  bytes read so far                     stored by the reader
 *   offset 136  u32  1: ring the bell when bytes come      set by the reader, cleared by the writer;
 *                                                          1 in the beginning
 *   offset 256       the bytes: byte p of the stream is at 256 + p modulo the capacity
 * </pre>
 *
 * <p>Numbers are in native byte order, as both processes are on one host. Writer and reader store
 * to different cache lines. The bytes are plain stores and loads; the store of a count releases
 * them, the load of the other side's count acquires it. So a reader sees each byte that it counts,
 * and a writer overwrites no byte that is still being read.
 *
 * <p>A process that is about to sleep sets its flag and then looks at the other side's count once
 * more; the other side stores its count and then looks at the flag. All four accesses are volatile,
 * so at least one of the two sees what the other has stored: either none sleeps, or the bell rings.
 * Loads and stores that were only acquire and release could both miss each other, on x86 too.
 *
 * <p>The other process may store anything: counts are checked before they are used. Its file may
 * become shorter, too, which the JVM reports as an {@link InternalError}. For one thread at a time.
 */
final class Ring {
  /** The bytes before the data. */
  static final int DATA = 256;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private static final long WRITTEN = 0;
  private static final long BEGINS = 8;
  private static final long WANTS_SPACE = 16;
  private static final long READ = 128;
  private static final long WANTS_BYTES = 136;

  /** The most that is copied before the other side is told: so both sides copy at once. */
  static final int PIECE = 1 << 14;

  private final MemorySegment memory;
  private final ByteBuffer data;
  private final int capacity;

  // The count of this side, and the last one seen of the other side.
  private long own;
  private long other;

  // Bytes of the writer that were copied and not published.
  private int pending;

  /**
   * A direction of which nothing was written or read yet by this process.
   *
   * @param memory {@link #DATA} bytes more than the capacity, which is a power of two
   */
  Ring(MemorySegment memory) {
    this.memory = memory;
    capacity = (int) (memory.byteSize() - DATA);
    data = memory.asSlice(DATA).asByteBuffer();
  }

  // The writer.

  /**
   * Says how many bytes of frames go before those of the ring.
   *
   * @param before bytes that went another way
   */
  void begin(long before) {
    LONG.setVolatile(memory, BEGINS, before + 1);
  }

  /**
   * Copies as many bytes as there is space for, up to a {@link #PIECE}. The reader does not see
   * them before they are {@linkplain #publish published}.
   *
   * @return how many
   * @throws IOException if the reader has stored nonsense
   */
  int put(ByteBuffer from) throws IOException {
    int wanted = Math.min(from.remaining(), PIECE);
    int count = Math.min(wanted, space(wanted));
    int at = (int) ((own + pending) & (capacity - 1));
    int first = Math.min(count, capacity - at);
    data.put(at, from, from.position(), first);
    if (first < count) {
      data.put(0, from, from.position() + first, count - first);
    }
    from.position(from.position() + count);
    pending += count;
    return count;
  }

  /** Returns how many bytes were copied and not published. */
  int pending() {
    return pending;
  }

  /** Has the reader see what was copied; returns how many bytes that are. */
  int publish() {
    int count = pending;
    if (count > 0) {
      pending = 0;
      own += count;
      LONG.setVolatile(memory, WRITTEN, own);
    }
    return count;
  }

  /** Forgets what was copied and not published. */
  void forget() {
    pending = 0;
  }

  /** Returns how many bytes there is space for; looks again if there are fewer than wanted. */
  private int space(int wanted) throws IOException {
    long used = own + pending - other;
    if (capacity - used < wanted) {
      long read = (long) LONG.getVolatile(memory, READ);
      if (read < other || read > own) {
        throw nonsense("read", read, other, own);
      }
      used += other - read;
      other = read;
    }
    return (int) (capacity - used);
  }

  /** Returns whether there is space for a byte. */
  boolean hasSpace() throws IOException {
    return space(1) > 0;
  }

  /**
   * Asks for the bell when there is space.
   *
   * @return whether there is some already, so that the bell may not ring
   */
  boolean wantSpace() throws IOException {
    INT.setVolatile(memory, WANTS_SPACE, 1);
    return space(capacity) > 0;
  }

  /** Returns whether the reader sleeps and is to be woken; only once. */
  boolean takeWantsBytes() {
    return take(WANTS_BYTES);
  }

  // The reader.

  /** Returns how many bytes of frames go before those of the ring; -1 as long as that is open. */
  long begins() {
    return (long) LONG.getVolatile(memory, BEGINS) - 1;
  }

  /**
   * Reads as many bytes as there are, and as there is space for. Memory that cannot be written to
   * ends the read behind the last piece.
   *
   * @return how many
   * @throws IOException if the writer has stored nonsense
   * @throws RuntimeException if nothing was read, as the memory cannot be written to
   */
  int read(ByteBuffer into) throws IOException {
    int total = 0;
    try {
      while (into.hasRemaining() && hasBytes()) {
        int count = (int) Math.min(Math.min(into.remaining(), PIECE), other - own);
        int at = (int) (own & (capacity - 1));
        int first = Math.min(count, capacity - at);
        into.put(into.position(), data, at, first);
        if (first < count) {
          into.put(into.position() + first, data, 0, count - first);
        }
        into.position(into.position() + count);
        own += count;
        total += count;
        LONG.setVolatile(memory, READ, own);
      }
    } catch (RuntimeException | InternalError unusable) {
      if (total == 0) {
        throw unusable;
      }
    }
    return total;
  }

  /** Returns whether there is something to read. */
  boolean hasBytes() throws IOException {
    if (own == other) {
      long written = (long) LONG.getVolatile(memory, WRITTEN);
      if (written < own || written > own + capacity) {
        throw nonsense("written", written, own, own + capacity);
      }
      other = written;
    }
    return own != other;
  }

  /**
   * Asks for the bell when bytes come.
   *
   * @return whether there are some already, so that the bell may not ring
   */
  boolean wantBytes() throws IOException {
    INT.setVolatile(memory, WANTS_BYTES, 1);
    return hasBytes();
  }

  /**
   * Returns whether the writer sleeps and is to be woken, as half of the ring is free; only once.
   */
  boolean takeWantsSpace() throws IOException {
    return (int) INT.getVolatile(memory, WANTS_SPACE) != 0
        && (!hasBytes() || other - own <= capacity / 2)
        && take(WANTS_SPACE);
  }

  private boolean take(long flag) {
    if ((int) INT.getVolatile(memory, flag) == 0) {
      return false;
    }
    INT.setVolatile(memory, flag, 0);
    return true;
  }

  private static IOException nonsense(String what, long count, long least, long most) {
    return new IOException(
        "the peer says to have %s %d bytes, between %d and %d are possible"
            .formatted(what, count, least, most));
  }
}
