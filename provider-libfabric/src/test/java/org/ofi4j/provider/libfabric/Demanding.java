// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * The libfabric that demands much, in whose name this JVM was started, and what it complains of.
 */
@SuppressWarnings("restricted") // what it exports beside the functions of libfabric
final class Demanding {
  /** What hints name its provider. */
  static final String PROVIDER = "libfabric:demanding";

  private static final String[] OBJECTS = {
    "fabric", "domain", "ep", "av", "cq", "cntr", "eq", "mr", "info"
  };

  private static final SymbolLookup SYMBOLS =
      SymbolLookup.libraryLookup(
          Path.of(System.getProperty(Libfabric.FILE_PROPERTY)), Arena.global());

  private static final MethodHandle VIOLATION =
      function("demanding_violation", FunctionDescriptor.of(ValueLayout.ADDRESS));
  private static final MethodHandle LIVE =
      function("demanding_live", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
  private static final MethodHandle RESET =
      function("demanding_reset", FunctionDescriptor.ofVoid());
  private static final MethodHandle FAIL_EVERY =
      function("demanding_fail_every", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
  private static final MethodHandle OFFER_PREFIX =
      function("demanding_offer_prefix", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));

  private Demanding() {}

  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(SYMBOLS.findOrThrow(name), descriptor);
  }

  private static @Nullable String violation() throws Exception {
    try {
      MemorySegment text = (MemorySegment) VIOLATION.invokeExact();
      return text.address() == 0 ? null : text.reinterpret(1_024).getString(0);
    } catch (Throwable thrown) {
      throw new Exception(thrown);
    }
  }

  private static long live(String what) throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      return (long) LIVE.invokeExact(arena.allocateFrom(what));
    } catch (Throwable thrown) {
      throw new Exception(thrown);
    }
  }

  /** Forgets what it has complained of, and what it was told to do. */
  static void reset() throws Exception {
    try {
      RESET.invokeExact();
    } catch (Throwable thrown) {
      throw new Exception(thrown);
    }
  }

  /** Has every n-th message fail. */
  static void failEvery(int n) throws Exception {
    try {
      FAIL_EVERY.invokeExact(n);
    } catch (Throwable thrown) {
      throw new Exception(thrown);
    }
  }

  /** Has it offer also those who did not say that they can what demands room in front. */
  static void offerPrefix(boolean offer) throws Exception {
    try {
      OFFER_PREFIX.invokeExact(offer ? 1 : 0);
    } catch (Throwable thrown) {
      throw new Exception(thrown);
    }
  }

  /** It has nothing to complain of. */
  static void assertContent() throws Exception {
    assertThat(violation()).as("the first violation").isNull();
  }

  /** All is closed. */
  static void assertNothingLive() throws Exception {
    assertContent();
    for (String each : OBJECTS) {
      assertThat(live(each)).as("objects of kind %s that are open", each).isZero();
    }
  }
}
