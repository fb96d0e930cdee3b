// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Collections;

/**
 * Calls of C functions by their address. All arguments and results are integers or pointers, and
 * each is passed as 64 bits: the ABIs of 64-bit Linux pass narrower ones in the same registers and
 * slots, and look at no more of them than their type has. A result narrower than that is cut to its
 * type by the caller.
 *
 * <p>Handles are constants for the compiler. Those with fewer arguments than in registers pass
 * zeros in the next registers, which the function does not read. Any thread may call; nothing is
 * allocated.
 */
public final class Downcalls {
  private static final MethodHandle CALL3 = handle(3);
  private static final MethodHandle CALL6 = handle(6);
  private static final MethodHandle CALL7 = handle(7);
  private static final MethodHandle CALL8 = handle(8);

  private Downcalls() {}

  @SuppressWarnings("restricted") // the descriptor is right for every function that is called
  private static MethodHandle handle(int arguments) {
    MemoryLayout[] layouts = Collections.nCopies(arguments, JAVA_LONG).toArray(MemoryLayout[]::new);
    return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, layouts));
  }

  public static long call(MemorySegment function) {
    return call(function, 0, 0, 0);
  }

  public static long call(MemorySegment function, long a) {
    return call(function, a, 0, 0);
  }

  public static long call(MemorySegment function, long a, long b) {
    return call(function, a, b, 0);
  }

  public static long call(MemorySegment function, long a, long b, long c) {
    try {
      return (long) CALL3.invokeExact(function, a, b, c);
    } catch (Throwable thrown) {
      throw impossible(thrown);
    }
  }

  public static long call(MemorySegment function, long a, long b, long c, long d) {
    return call(function, a, b, c, d, 0, 0);
  }

  public static long call(MemorySegment function, long a, long b, long c, long d, long e) {
    return call(function, a, b, c, d, e, 0);
  }

  public static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) CALL6.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable thrown) {
      throw impossible(thrown);
    }
  }

  public static long call(
      MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
    try {
      return (long) CALL7.invokeExact(function, a, b, c, d, e, f, g);
    } catch (Throwable thrown) {
      throw impossible(thrown);
    }
  }

  public static long call(
      MemorySegment function, long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (long) CALL8.invokeExact(function, a, b, c, d, e, f, g, h);
    } catch (Throwable thrown) {
      throw impossible(thrown);
    }
  }

  /** C throws nothing, and the types are those of the handles. */
  private static AssertionError impossible(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return new AssertionError("a call of C has thrown", thrown);
  }
}
