package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Aligned words in memory segments with a named memory order.
 *
 * <p>Acquire and release pair up: what a thread wrote before it stored a value with release,
 * another thread sees after it loaded that value with acquire. Opaque loads are atomic and promise
 * nothing else; whoever uses them says what orders them.
 */
final class SegmentAccess {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();

  private SegmentAccess() {}

  static long longAcquire(MemorySegment segment, long offset) {
    return (long) LONG.getAcquire(segment, offset);
  }

  static long longOpaque(MemorySegment segment, long offset) {
    return (long) LONG.getOpaque(segment, offset);
  }

  static void longRelease(MemorySegment segment, long offset, long value) {
    LONG.setRelease(segment, offset, value);
  }

  static int intAcquire(MemorySegment segment, long offset) {
    return (int) INT.getAcquire(segment, offset);
  }

  static int intOpaque(MemorySegment segment, long offset) {
    return (int) INT.getOpaque(segment, offset);
  }

  static void intRelease(MemorySegment segment, long offset, int value) {
    INT.setRelease(segment, offset, value);
  }

  static void intOpaque(MemorySegment segment, long offset, int value) {
    INT.setOpaque(segment, offset, value);
  }

  static short shortOpaque(MemorySegment segment, long offset) {
    return (short) SHORT.getOpaque(segment, offset);
  }
}
