// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What one vector tells Flight Recorder. Any thread may call.
 *
 * <p>Off, which is the default, it costs a branch and allocates nothing. As the first event class
 * that a runtime loads takes it a good part of a second, none is touched before a recording has
 * begun. A runtime without module {@code jdk.jfr} is one in which none ever begins.
 */
final class VectorEvents {
  private static final boolean AVAILABLE = isAvailable();
  private static final AtomicLong VECTORS = new AtomicLong();

  private final long vector = VECTORS.incrementAndGet();
  private final String domain;

  /** The events of a new vector, which gets the next number of this process. */
  VectorEvents(String domain) {
    this.domain = domain;
  }

  private static boolean isAvailable() {
    try {
      FlightRecorder.isInitialized(); // which shows whether it can be asked at all
      return true;
    } catch (LinkageError absent) {
      return false;
    }
  }

  private static boolean isRecording() {
    return AVAILABLE && FlightRecorder.isInitialized();
  }

  /** An insertion begins; null if nobody wants to know, else its event, to be ended. */
  @Nullable InsertionEvent insertion() {
    return isRecording() && InsertionEvent.isOn() ? new InsertionEvent(vector, domain) : null;
  }

  /** A removal begins; null if nobody wants to know, else its event, to be ended. */
  @Nullable RemovalEvent removal() {
    return isRecording() && RemovalEvent.isOn() ? new RemovalEvent(vector, domain) : null;
  }

  /**
   * Memory was taken from the system.
   *
   * @param held how much the vector holds now
   */
  void growth(long bytes, long held) {
    if (isRecording() && GrowthEvent.isOn()) {
      new GrowthEvent(vector, domain, bytes, held).commit();
    }
  }
}
