// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Keeps the signal handlers of the JVM. libfabric, and libraries that come with it, install their
 * own while they are loaded and when the first endpoint of some providers is opened: an implicit
 * null check, which is a SIGSEGV, then ends the JVM or removes the endpoint's files. So such calls
 * are made here, and what has changed meanwhile is put back when one returns. Several may be under
 * way, because one that resolves a name takes its time; they go by what was there before the first.
 */
final class SignalHandlers {
  /** SIGHUP to SIGSYS; those for real-time are nobody's. */
  static final int SIGNALS = 31;

  /**
   * {@code struct sigaction}, 152 bytes in glibc and musl, with room to spare:
   *
   * <pre>
   *   0 handler (8) | 8 mask (128) | 136 flags (4) | 144 restorer (8)
   * </pre>
   */
  static final long ACTION = 256;

  private static final long COMPARED = 8;

  // Guarded by the monitor of this object: what was there before, and what is now.
  private final MemorySegment before = Arena.ofAuto().allocate(ACTION * (SIGNALS + 1));
  private final MemorySegment present = Arena.ofAuto().allocate(ACTION);
  private int underWay;

  /** Makes a call, and puts back the handlers that it has replaced. */
  long keeping(LongSupplier call) {
    begin();
    try {
      return call.getAsLong();
    } finally {
      end();
    }
  }

  private synchronized void begin() {
    if (underWay++ == 0) {
      for (int signal = 1; signal <= SIGNALS; signal++) {
        CLibrary.sigaction(signal, 0, before.address() + ACTION * signal);
      }
    }
  }

  private synchronized void end() {
    underWay--;
    for (int signal = 1; signal <= SIGNALS; signal++) {
      long old = ACTION * signal;
      CLibrary.sigaction(signal, 0, present.address());
      if (MemorySegment.mismatch(before, old, old + COMPARED, present, 0, COMPARED) >= 0) {
        CLibrary.sigaction(signal, before.address() + old, 0);
      }
    }
  }
}
