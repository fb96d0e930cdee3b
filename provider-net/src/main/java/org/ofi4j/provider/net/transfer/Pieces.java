// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The memory of one message: a segment, or several that follow each other. Used again for others.
 * For one thread at a time.
 */
public final class Pieces {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  /** No memory is confined to it. */
  private static final Thread NOBODY = Thread.ofVirtual().unstarted(() -> {});

  // All of them; null and unused for a message of one piece.
  private @Nullable MemorySegment @Nullable [] all;
  private final long[] bases = new long[TcpLimits.IOV_LIMIT];
  private final long[] sizes = new long[TcpLimits.IOV_LIMIT];
  private int count;
  private long length;

  // The one that was looked at last: its bytes are size from base on; and where in the message it
  // begins.
  private MemorySegment current = NOTHING;
  private long base;
  private long size;
  private int number;
  private long start;

  public void set(MemorySegment only) {
    set(only, 0, only.byteSize());
  }

  /** Takes over a part of a segment. */
  public void set(MemorySegment only, long from, long bytes) {
    current = only;
    base = from;
    size = bytes;
    length = bytes;
    count = 0;
    number = 0;
    start = 0;
  }

  /** Takes over several segments if there are any, else the only one; but not the array. */
  public void set(MemorySegment only, MemorySegment @Nullable [] segments) {
    set(segments == null || segments.length == 0 ? only : segments[0]);
    if (segments != null) {
      for (int i = 1; i < segments.length; i++) {
        add(segments[i], 0, segments[i].byteSize());
      }
    }
  }

  /** Takes over a part of a segment that follows what is there. */
  public void add(MemorySegment next, long from, long bytes) {
    @Nullable MemorySegment[] pieces = all;
    if (pieces == null) {
      pieces = new @Nullable MemorySegment[TcpLimits.IOV_LIMIT];
      all = pieces;
    }
    if (count == 0) {
      pieces[0] = current;
      bases[0] = base;
      sizes[0] = size;
      count = 1;
    }
    pieces[count] = next;
    bases[count] = from;
    sizes[count] = bytes;
    count++;
    length += bytes;
  }

  /** Bytes of all of them. */
  public long length() {
    return length;
  }

  /** The piece in which a byte of the message lies; the last one for its end. */
  public MemorySegment at(long offset) {
    if (count > 0) {
      if (offset < start) {
        number = 0;
        start = 0;
        look();
      }
      while (offset - start >= size && number < count - 1) {
        start += size;
        number++;
        look();
      }
    }
    return current;
  }

  private void look() {
    current = piece(number);
    base = bases[number];
    size = sizes[number];
  }

  /**
   * Where in the message the first byte of the segment would be that {@link #at} gave last; what is
   * added to it says where in the segment a byte of the message lies.
   */
  long start() {
    return start - base;
  }

  private MemorySegment piece(int which) {
    MemorySegment piece = all == null ? null : all[which];
    return piece == null ? NOTHING : piece;
  }

  /** How many bytes from one on lie in the same piece. */
  long contiguous(long offset) {
    at(offset);
    return size - (offset - start);
  }

  /**
   * Returns a number that shows whether the bytes were changed: {@link PostedMemory#fingerprint}.
   */
  long fingerprint() {
    long all = length;
    for (long done = 0; done < length; ) {
      long some = contiguous(done);
      long one = PostedMemory.fingerprint(current, done - start(), some);
      if (one == PostedMemory.UNKNOWN) {
        return one;
      }
      all = PostedMemory.mixed(all, one);
      done += some;
    }
    return all | 1;
  }

  void copyTo(MemorySegment target, long at, long offset, long bytes) {
    long done = 0;
    while (done < bytes) {
      long some = Math.min(bytes - done, contiguous(offset + done));
      MemorySegment.copy(current, offset + done - start(), target, at + done, some);
      done += some;
    }
  }

  public void copyFrom(MemorySegment source, long at, long offset, long bytes) {
    long done = 0;
    while (done < bytes) {
      long some = Math.min(bytes - done, contiguous(offset + done));
      MemorySegment.copy(source, at + done, current, offset + done - start(), some);
      done += some;
    }
  }

  /**
   * Memory outside the heap that takes bytes from one on, as many of the wanted ones as lie there;
   * null if there is none, or so few that they are better filled together with the next.
   */
  public @Nullable MemorySegment rest(long offset, long wanted) {
    MemorySegment piece = at(offset);
    long some = Math.min(wanted, contiguous(offset));
    return piece.isNative() && (some == wanted || some >= TcpLimits.DIRECT_READ)
        ? piece.asSlice(offset - start(), some)
        : null;
  }

  /** Why a thread cannot use one of them, or null if it can use all. */
  public @Nullable String refusal(Thread thread) {
    String refusal = PostedMemory.refusal(count == 0 ? current : piece(0), thread);
    for (int i = 1; i < count && refusal == null; i++) {
      refusal = PostedMemory.refusal(piece(i), thread);
    }
    return refusal;
  }

  /** Whether some of it is a file's memory. */
  public boolean isMapped() {
    boolean mapped = count == 0 && current.isMapped();
    for (int i = 0; i < count; i++) {
      mapped |= piece(i).isMapped();
    }
    return mapped;
  }

  /** Whether some of it can be used by this thread alone. */
  public boolean isConfined() {
    return refusal(NOBODY) != null;
  }

  /** Writes what is in a file's memory to the file. */
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

  public void clear() {
    for (int i = 0; i < count; i++) {
      if (all != null) {
        all[i] = null;
      }
    }
    set(NOTHING);
  }
}
