// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

/**
 * Whether Flight Recorder is at work, before which a provider touches none of its event classes:
 * the first one that a runtime loads takes it a good part of a second, and a runtime may have no
 * Flight Recorder.
 */
public final class FlightRecording {
  private FlightRecording() {}

  /**
   * Returns whether Flight Recorder has been used in this process.
   *
   * @return true if events may be recorded
   */
  public static boolean isActive() {
    return org.ofi4j.core.object.FlightRecording.isActive();
  }
}
