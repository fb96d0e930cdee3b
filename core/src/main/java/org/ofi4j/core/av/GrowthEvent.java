// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A vector took memory, as Flight Recorder shows it; see {@link VectorEvents}. */
@Name(GrowthEvent.NAME)
@Label("Address Vector Growth")
@Category({"ofi4j", "Address Vector"})
@Description("A vector took memory from the system, which it keeps until it is closed")
@Enabled(false)
final class GrowthEvent extends Event {
  static final String NAME = "org.ofi4j.AddressVectorGrowth";

  /** Asks whether events are wanted. */
  private static final GrowthEvent PROBE = new GrowthEvent(0, "", 0, 0);

  @Label("Vector")
  @Description("Number of the vector, in the order in which this process opened them")
  final long vector;

  @Label("Domain")
  final String domain;

  @Label("Taken")
  @DataAmount
  final long bytes;

  @Label("Held")
  @Description("What the vector holds in all")
  @DataAmount
  final long held;

  GrowthEvent(long vector, String domain, long bytes, long held) {
    this.vector = vector;
    this.domain = domain;
    this.bytes = bytes;
    this.held = held;
  }

  static boolean isOn() {
    return PROBE.isEnabled();
  }
}
