// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Set;

/**
 * Aligned words in memory segments with a named memory order.
 *
 * <p>Acquire and release pair up: what a thread wrote before it stored a value with release,
 * another thread sees after it loaded that value with acquire. Opaque loads are atomic and promise
 * nothing else; whoever uses them says what orders them.
 */
public final class SegmentAccess {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  /** The class of native segments, also of those in files that vectors are kept in. */
  private static final Class<?> NATIVE = MemorySegment.NULL.getClass();

  /** Whether the processor lets no load overtake another, nor the compiler have to ask for it. */
  private static final boolean LOADS_IN_ORDER =
      Set.of("amd64", "x86_64", "x86", "i386").contains(System.getProperty("os.arch", ""));

  private SegmentAccess() {}

  /**
   * Whether a segment is native memory, or memory of a file that {@code org.ofi4j.core.share} has
   * mapped; one that a channel has mapped for somebody else is not. Nothing differs for such
   * segments, but where this was asked first, the compiler knows their class from then on, whatever
   * other segments pass through the same code elsewhere.
   *
   * @return true if it is
   */
  public static boolean isNative(MemorySegment segment) {
    return segment.getClass() == NATIVE;
  }

  /**
   * As {@link #longAcquire}, <b>only for the one thread that writes, or for who stores something
   * into native memory before the next load of this kind</b>, or does not use what it loaded.
   *
   * <p>A fence of any kind, even one that the processor needs no instruction for, makes the
   * compiler load everything anew behind it that it knows already of the caller's segments, which
   * costs as much as the rest of a lookup. Where processors keep loads in order (x86), such a store
   * is all that it takes: the store may be to the very word, for all that the compiler knows, so
   * none of these loads, nor one of an acquire behind it, goes over it, and none is left out.
   * Elsewhere this is {@link #longAcquire}.
   *
   * <p>Callers see to it that the word is aligned, and so loaded at once; an aligned layout would
   * add a check.
   */
  public static long longInOrder(MemorySegment segment, long offset) {
    return LOADS_IN_ORDER
        ? segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
        : longAcquire(segment, offset);
  }

  public static long longAcquire(MemorySegment segment, long offset) {
    return (long) LONG.getAcquire(segment, offset);
  }

  public static long longOpaque(MemorySegment segment, long offset) {
    return (long) LONG.getOpaque(segment, offset);
  }

  public static void longRelease(MemorySegment segment, long offset, long value) {
    LONG.setRelease(segment, offset, value);
  }

  public static int intAcquire(MemorySegment segment, long offset) {
    return (int) INT.getAcquire(segment, offset);
  }

  public static int intOpaque(MemorySegment segment, long offset) {
    return (int) INT.getOpaque(segment, offset);
  }

  public static void intRelease(MemorySegment segment, long offset, int value) {
    INT.setRelease(segment, offset, value);
  }

  public static void intOpaque(MemorySegment segment, long offset, int value) {
    INT.setOpaque(segment, offset, value);
  }
}
