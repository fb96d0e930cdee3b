// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one operation ({@code struct iovec}): a segment, or several that follow each other.
 * Used again for other operations. For one thread at a time.
 */
public final class Pieces {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  /** No memory is confined to it. */
  private static final Thread NO_OWNER = Thread.ofVirtual().unstarted(() -> {});

  private static final long[] NONE = {};

  // All of them, if there are several; empty until an operation has several.
  private @Nullable MemorySegment[] all = {};
  private long[] bases = NONE;
  private long[] sizes = NONE;
  private int count;
  private long length;

  // The piece that was used last: its bytes are size from base on; number is its place among all,
  // and start the place of its first byte in the message.
  private MemorySegment current = NOTHING;
  private long base;
  private long size;
  private int number;
  private long start;

  // The fingerprint of bytes that must not change.
  private long remembered = PostedMemory.UNKNOWN;

  /** Memory of no bytes. */
  public Pieces() {}

  /**
   * Becomes a segment.
   *
   * @param only the segment
   */
  public void set(MemorySegment only) {
    set(only, 0, only.byteSize());
  }

  /**
   * Becomes a part of a segment.
   *
   * @param only the segment
   * @param from the offset of the first byte
   * @param bytes the number of bytes
   */
  public void set(MemorySegment only, long from, long bytes) {
    current = only;
    base = from;
    size = bytes;
    length = bytes;
    count = 0;
    number = 0;
    start = 0;
    remembered = PostedMemory.UNKNOWN;
  }

  /**
   * Becomes several segments if there are any, else the only one; does not keep the array.
   *
   * @param only the segment, if there are no others
   * @param segments the segments; null or empty for none
   */
  public void set(MemorySegment only, MemorySegment @Nullable [] segments) {
    set(segments == null || segments.length == 0 ? only : segments[0]);
    if (segments != null) {
      for (int i = 1; i < segments.length; i++) {
        add(segments[i], 0, segments[i].byteSize());
      }
    }
  }

  /**
   * Adds a part of a segment behind what is there.
   *
   * @param next the segment
   * @param from the offset of the first byte
   * @param bytes the number of bytes
   */
  public void add(MemorySegment next, long from, long bytes) {
    int used = Math.max(count, 1);
    if (used >= all.length) {
      int capacity = Math.max(4, 2 * used);
      all = Arrays.copyOf(all, capacity);
      bases = Arrays.copyOf(bases, capacity);
      sizes = Arrays.copyOf(sizes, capacity);
    }
    if (count == 0) {
      all[0] = current;
      bases[0] = base;
      sizes[0] = size;
    }
    all[used] = next;
    bases[used] = from;
    sizes[used] = bytes;
    count = used + 1;
    length += bytes;
  }

  /**
   * Returns the number of bytes of all pieces.
   *
   * @return the number of bytes
   */
  public long length() {
    return length;
  }

  /**
   * Returns whether the memory is one segment.
   *
   * @return false if there are several
   */
  public boolean isOne() {
    return count == 0;
  }

  /**
   * Returns the piece with a byte of the message; the last one for the end of the message.
   *
   * @param offset the offset in the message, 0 to its length
   * @return the piece
   */
  public MemorySegment at(long offset) {
    if (count > 0) {
      if (offset < start) {
        start = 0;
        use(0);
      }
      while (offset - start >= size && number < count - 1) {
        start += size;
        use(number + 1);
      }
    }
    return current;
  }

  private void use(int which) {
    number = which;
    current = piece(which);
    base = bases[which];
    size = sizes[which];
  }

  /**
   * Returns the place of the first byte of the segment that {@link #at} has returned last, as if
   * the whole segment were in the message. A byte at {@code offset} of the message is at {@code
   * offset - start()} of that segment.
   *
   * @return the place, which is negative if the segment begins before the message
   */
  public long start() {
    return start - base;
  }

  private MemorySegment piece(int which) {
    MemorySegment piece = all[which];
    return piece == null ? NOTHING : piece;
  }

  /**
   * Returns how many bytes from one on are in the same piece.
   *
   * @param offset the offset in the message, 0 to its length
   * @return the number of bytes
   */
  public long contiguous(long offset) {
    at(offset);
    return size - (offset - start);
  }

  /** Remembers the bytes of the message as they are now: they must not change while it waits. */
  public void remember() {
    remembered = fingerprint();
  }

  /**
   * Returns why the message must not be sent, if its bytes have changed since {@link #remember}.
   *
   * @return the reason; null if no change shows, or the bytes were not remembered
   */
  public @Nullable String changed() {
    return remembered == PostedMemory.UNKNOWN
        ? null
        : PostedMemory.changed(at(0), remembered, fingerprint());
  }

  private long fingerprint() {
    long hash = length;
    for (long done = 0; done < length; ) {
      long some = contiguous(done);
      long one = PostedMemory.fingerprint(current, done - start(), some);
      if (one == PostedMemory.UNKNOWN) {
        return one;
      }
      hash = PostedMemory.mixed(hash, one);
      done += some;
    }
    return hash | 1;
  }

  /**
   * Copies bytes of the message, from an offset on, to a place in other memory.
   *
   * @param target the other memory
   * @param at the offset there
   * @param offset the offset in the message
   * @param bytes the number of bytes
   */
  public void copyTo(MemorySegment target, long at, long offset, long bytes) {
    long done = 0;
    while (done < bytes) {
      long some = Math.min(bytes - done, contiguous(offset + done));
      MemorySegment.copy(current, offset + done - start(), target, at + done, some);
      done += some;
    }
  }

  /**
   * Copies bytes from a place in other memory to an offset of the message.
   *
   * @param source the other memory
   * @param at the offset there
   * @param offset the offset in the message
   * @param bytes the number of bytes
   */
  public void copyFrom(MemorySegment source, long at, long offset, long bytes) {
    long done = 0;
    while (done < bytes) {
      long some = Math.min(bytes - done, contiguous(offset + done));
      MemorySegment.copy(source, at + done, current, offset + done - start(), some);
      done += some;
    }
  }

  /**
   * Returns native memory that takes bytes from one on, as many of the wanted ones as one piece
   * has.
   *
   * @param offset the offset of the first byte in the message
   * @param wanted the largest number of bytes
   * @param least how many bytes are worth it, if the piece has not all that are wanted
   * @return null if the piece is in the Java heap or has fewer
   */
  public @Nullable MemorySegment rest(long offset, long wanted, long least) {
    MemorySegment piece = at(offset);
    long some = Math.min(wanted, contiguous(offset));
    return piece.isNative() && (some == wanted || some >= least)
        ? piece.asSlice(offset - start(), some)
        : null;
  }

  /**
   * Returns the reason why a thread cannot use one of the pieces; null if it can use all.
   *
   * @param thread the thread
   * @return the reason as {@link PostedMemory#refusal} returns it, or null
   */
  public @Nullable String refusal(Thread thread) {
    String refusal = PostedMemory.refusal(count == 0 ? current : piece(0), thread);
    for (int i = 1; i < count && refusal == null; i++) {
      refusal = PostedMemory.refusal(piece(i), thread);
    }
    return refusal;
  }

  /**
   * Returns whether a piece is memory of a file.
   *
   * @return true if one piece is
   */
  public boolean isMapped() {
    boolean mapped = count == 0 && current.isMapped();
    for (int i = 0; i < count; i++) {
      mapped |= piece(i).isMapped();
    }
    return mapped;
  }

  /**
   * Returns whether a piece is confined to a thread.
   *
   * @return true if one piece is
   */
  public boolean isConfined() {
    return refusal(NO_OWNER) != null;
  }

  /** Writes the bytes that are in memory of files to the files. */
  public void force() {
    long done = 0;
    while (done < length) {
      MemorySegment piece = at(done);
      long some = contiguous(done);
      if (piece.isMapped()) {
        piece.asSlice(done - start(), some).force();
      }
      done += some;
    }
  }

  /** Lets go of the memory. */
  public void clear() {
    if (count > 0) {
      Arrays.fill(all, 0, count, null);
    }
    set(NOTHING);
  }
}
