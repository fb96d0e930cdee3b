// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * All memory of the process, by address, as C has it: for what libfabric hands out. Whoever reads
 * or writes here has made sure that the address is one. Any thread may use it; nothing is allocated
 * but text.
 */
public final class RawMemory {
  /** All bytes of the process, each at its address. */
  public static final MemorySegment ALL = all();

  private static final VarHandle ALIGNED_LONG = ValueLayout.JAVA_LONG.varHandle();

  private RawMemory() {}

  @SuppressWarnings("restricted") // C's view of memory is what this class is for
  private static MemorySegment all() {
    return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  }

  public static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  public static int getInt(long address) {
    return ALL.get(JAVA_INT_UNALIGNED, address);
  }

  public static short getShort(long address) {
    return ALL.get(JAVA_SHORT_UNALIGNED, address);
  }

  public static byte getByte(long address) {
    return ALL.get(JAVA_BYTE, address);
  }

  public static void putLong(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT_UNALIGNED, address, value);
  }

  public static void putShort(long address, short value) {
    ALL.set(JAVA_SHORT_UNALIGNED, address, value);
  }

  public static void putByte(long address, byte value) {
    ALL.set(JAVA_BYTE, address, value);
  }

  /** Reads what another process may have written before, with what it wrote before that. */
  public static long getLongAcquire(long address) {
    return (long) ALIGNED_LONG.getAcquire(ALL, address);
  }

  /** Writes what other processes read, after all that was written before. */
  public static void putLongRelease(long address, long value) {
    ALIGNED_LONG.setRelease(ALL, address, value);
  }

  /** Replaces a value that other processes may replace too; whether it was the expected one. */
  public static boolean compareAndSet(long address, long expected, long value) {
    return ALIGNED_LONG.compareAndSet(ALL, address, expected, value);
  }

  /** Copies within this memory; the two places do not overlap. */
  public static void copy(long from, long to, long bytes) {
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  /** Copies from a segment. */
  public static void copyIn(MemorySegment from, long offset, long address, long bytes) {
    MemorySegment.copy(from, offset, ALL, address, bytes);
  }

  public static byte[] bytes(long address, long length) {
    byte[] bytes = new byte[Math.toIntExact(length)];
    MemorySegment.copy(ALL, JAVA_BYTE, address, bytes, 0, bytes.length);
    return bytes;
  }

  /** The text at an address up to its zero byte; null for the null pointer. */
  static @Nullable String text(long address) {
    if (address == 0) {
      return null;
    }
    long end = address;
    while (getByte(end) != 0) {
      end++;
    }
    return new String(bytes(address, end - address), StandardCharsets.UTF_8);
  }
}
