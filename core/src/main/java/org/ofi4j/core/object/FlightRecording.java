// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import jdk.jfr.FlightRecorder;

/**
 * Whether Flight Recorder is at work, before which no event class may be touched: the first one
 * that a runtime loads takes it a good part of a second. A runtime without module {@code jdk.jfr}
 * never records. Any thread may call.
 */
public final class FlightRecording {
  private static final boolean IS_POSSIBLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightRecording() {}

  /** Returns whether Flight Recorder has been used in this process. */
  public static boolean isActive() {
    return IS_POSSIBLE && FlightRecorder.isInitialized();
  }
}
