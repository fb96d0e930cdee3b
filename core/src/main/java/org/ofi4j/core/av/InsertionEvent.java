// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** One call of an insertion, as Flight Recorder shows it; see {@link VectorEvents}. */
@Name(InsertionEvent.NAME)
@Label("Address Insertion")
@Category({"ofi4j", "Address Vector"})
@Description("One insertion call, from its beginning to the last of its addresses")
@Enabled(false)
final class InsertionEvent extends Event {
  static final String NAME = "org.ofi4j.AddressInsertion";

  /** Asks whether events are wanted. */
  private static final InsertionEvent PROBE = new InsertionEvent(0, "");

  @Label("Vector")
  @Description("Number of the vector, in the order in which this process opened them")
  final long vector;

  @Label("Domain")
  final String domain;

  @Label("Asynchronous")
  @Description("Whether the outcome went to an event queue")
  boolean asynchronous;

  @Label("Requested")
  @Description("How many addresses were to be inserted")
  int requested;

  @Label("Inserted")
  @Description("How many of them are in the vector because of the call")
  int inserted;

  InsertionEvent(long vector, String domain) {
    this.vector = vector;
    this.domain = domain;
    begin();
  }

  static boolean isOn() {
    return PROBE.isEnabled();
  }

  void end(boolean wasAsynchronous, int requestedCount, int insertedCount) {
    asynchronous = wasAsynchronous;
    requested = requestedCount;
    inserted = insertedCount;
    commit();
  }
}
