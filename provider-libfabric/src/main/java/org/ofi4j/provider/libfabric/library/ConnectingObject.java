// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What has an address and may connect, fi_cm(3): an endpoint or a passive one, laid out alike. */
public abstract class ConnectingObject extends NativeObject {
  private static final int MAX_NAME = 4_096;

  ConnectingObject(NativeObject on, String what, NativeFunction with, NativeInfo info) {
    super(on, what, with, info.address());
  }

  /**
   * Calls a function of the table {@code struct fi_ops_cm}, whose first argument is this object.
   * Further arguments than the function has are not read.
   *
   * @return 0 or a negative errno
   */
  final int call(NativeFunction called, long a, long b, long c) {
    MemorySegment function = required(called);
    return (int) library().keepingSignals(() -> Downcalls.call(function, address(), a, b, c));
  }

  /** {@code fi_getname}: the packed address. */
  public final byte[] name() {
    return name(NativeFunction.CM_GETNAME, "its name");
  }

  /** Returns the packed address of a function that has the arguments of {@code fi_getname}. */
  final byte[] name(NativeFunction function, String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(MAX_NAME, Long.BYTES);
      MemorySegment length = arena.allocateFrom(JAVA_LONG, MAX_NAME);
      NativeErrors.check(
          "asking %s for %s".formatted(this, what),
          call(function, name.address(), length.address(), 0));
      return RawMemory.bytes(name.address(), Math.min(MAX_NAME, length.get(JAVA_LONG, 0)));
    }
  }

  /**
   * {@code fi_getopt} with {@code FI_OPT_CM_DATA_SIZE}: how much data goes with a request or an
   * answer; 0 where the fabric does not say that.
   */
  public final int connectionDataSize() {
    MemorySegment getopt = function(NativeFunction.EP_GETOPT);
    if (getopt.address() == 0) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      MemorySegment length = arena.allocateFrom(JAVA_LONG, Long.BYTES);
      long errno =
          Downcalls.call(
              getopt,
              address(),
              Constants.OPT_ENDPOINT,
              Constants.OPT_CM_DATA_SIZE,
              value.address(),
              length.address());
      return (int) errno == 0 ? Math.clamp(value.get(JAVA_LONG, 0), 0, MAX_NAME) : 0;
    }
  }

  /** Returns the address of bytes for the time of a call, with some to spare. */
  static long copy(Arena arena, byte[] bytes) {
    MemorySegment copy = arena.allocate(bytes.length + 1L, Long.BYTES);
    MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
    return copy.address();
  }
}
