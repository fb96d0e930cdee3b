// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** One call of a removal, as Flight Recorder shows it; see {@link VectorEvents}. */
@Name(RemovalEvent.NAME)
@Label("Address Removal")
@Category({"ofi4j", "Address Vector"})
@Description("One removal call")
@Enabled(false)
final class RemovalEvent extends Event {
  static final String NAME = "org.ofi4j.AddressRemoval";

  /** Asks whether events are wanted. */
  private static final RemovalEvent PROBE = new RemovalEvent(0, "");

  @Label("Vector")
  @Description("Number of the vector, in the order in which this process opened them")
  final long vector;

  @Label("Domain")
  final String domain;

  @Label("Requested")
  @Description("How many handles were given")
  int requested;

  @Label("Removed")
  @Description("How many of them named an entry, or a share of one, which is gone now")
  int removed;

  RemovalEvent(long vector, String domain) {
    this.vector = vector;
    this.domain = domain;
    begin();
  }

  static boolean isOn() {
    return PROBE.isEnabled();
  }

  void end(int requestedCount, int removedCount) {
    requested = requestedCount;
    removed = removedCount;
    commit();
  }
}
