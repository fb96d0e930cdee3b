// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory that callers pass: whether it can be used at all, before anything is changed. */
public final class SegmentChecks {
  // Accessible to it means accessible to every thread: it is none of the callers'.
  private static final Thread ANY_OTHER = Thread.ofVirtual().unstarted(() -> {});

  private SegmentChecks() {}

  /** Refuses null, and memory that this thread cannot read. */
  public static MemorySegment readable(@Nullable MemorySegment segment, String name) {
    if (segment == null) {
      throw invalid(name + " is null, but memory is needed");
    }
    if (!segment.scope().isAlive()) {
      throw invalid(name + " is memory that was freed already: its arena is closed");
    }
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw invalid(name + " is memory of a confined arena that belongs to another thread");
    }
    return segment;
  }

  /** Refuses null, and memory that this thread cannot write. */
  public static MemorySegment writable(@Nullable MemorySegment segment, String name) {
    MemorySegment readable = readable(segment, name);
    if (readable.isReadOnly()) {
      throw invalid(name + " is read-only memory, but takes results");
    }
    return readable;
  }

  /** Refuses null, and an array that this thread cannot read or of too few elements. */
  public static MemorySegment array(
      @Nullable MemorySegment segment, String name, int count, int elementSize) {
    return checkSize(readable(segment, name), name, count, elementSize);
  }

  /** As {@link #array}, for results; null is passed on. */
  public static void results(
      @Nullable MemorySegment segment, String name, int count, int elementSize) {
    if (segment != null) {
      checkSize(writable(segment, name), name, count, elementSize);
    }
  }

  private static MemorySegment checkSize(
      MemorySegment segment, String name, int count, int elementSize) {
    if (segment.byteSize() / elementSize < count) {
      throw invalid(
          "%s has %s bytes, which are not %s elements of %s"
              .formatted(name, segment.byteSize(), count, elementSize));
    }
    return segment;
  }

  /** Refuses memory that only the calling thread can use; null is passed on. */
  public static void shared(@Nullable MemorySegment segment, String name) {
    if (segment != null && !segment.isAccessibleBy(ANY_OTHER)) {
      throw invalid(
          name
              + " is memory of a confined arena, but an asynchronous insertion writes it from"
              + " another thread: use a shared or automatic arena, or an array");
    }
  }

  /**
   * Refuses memory that is used for two things at once; null is passed on. What lies behind the
   * bytes that are used may be used for anything.
   */
  public static void apart(
      @Nullable MemorySegment one,
      String name,
      long used,
      @Nullable MemorySegment other,
      String otherName,
      long otherUsed) {
    if (one == null || other == null || one.asOverlappingSlice(other).isEmpty()) {
      return;
    }
    if (one.asSlice(0, used).asOverlappingSlice(other.asSlice(0, otherUsed)).isPresent()) {
      throw invalid(otherName + " lies in the memory of " + name + ", and would overwrite it");
    }
  }

  /** Refuses a negative number of elements. */
  public static void count(int count, String name) {
    if (count < 0) {
      throw invalid(name + " " + count + " is negative");
    }
  }
}
