// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.object.FlightRecording;

/**
 * The events of one vector for Flight Recorder. Any thread may call.
 *
 * <p>An event that is off, which is the default, costs a branch and allocates nothing. No event
 * class is touched before {@linkplain FlightRecording Flight Recorder} is at work.
 */
final class VectorEvents {
  static final String INSERTION = "org.ofi4j.AddressInsertion";
  static final String REMOVAL = "org.ofi4j.AddressRemoval";
  static final String GROWTH = "org.ofi4j.AddressVectorGrowth";

  private static final AtomicLong VECTORS = new AtomicLong();

  private final long vector = VECTORS.incrementAndGet();
  private final String domain;

  /** The events of a new vector, which gets the next number of this process. */
  VectorEvents(String domain) {
    this.domain = domain;
  }

  /** Begins the event of an insertion, which the caller ends; null if no recording wants it. */
  @Nullable Insertion insertion() {
    return FlightRecording.isActive() && Insertion.PROBE.isEnabled()
        ? new Insertion(vector, domain)
        : null;
  }

  /** Begins the event of a removal, which the caller ends; null if no recording wants it. */
  @Nullable Removal removal() {
    return FlightRecording.isActive() && Removal.PROBE.isEnabled()
        ? new Removal(vector, domain)
        : null;
  }

  /**
   * Memory was taken from the system.
   *
   * @param held how much the vector holds now
   */
  void growth(long bytes, long held) {
    if (FlightRecording.isActive() && Growth.PROBE.isEnabled()) {
      new Growth(vector, domain, bytes, held).commit();
    }
  }

  /** An event of a vector. */
  @Category({"ofi4j", "Address Vector"})
  @Enabled(false)
  abstract static class VectorEvent extends Event {
    @Label("Vector")
    @Description("Number of the vector, in the order in which this process opened them")
    final long vector;

    @Label("Domain")
    final String domain;

    VectorEvent(long vector, String domain) {
      this.vector = vector;
      this.domain = domain;
    }
  }

  /** One call of an insertion. */
  @Name(INSERTION)
  @Label("Address Insertion")
  @Description("One insertion call, from its beginning to the last of its addresses")
  static final class Insertion extends VectorEvent {
    private static final Insertion PROBE = new Insertion(0, "");

    @Label("Asynchronous")
    @Description("Whether the outcome went to an event queue")
    boolean asynchronous;

    @Label("Requested")
    @Description("How many addresses were to be inserted")
    int requested;

    @Label("Inserted")
    @Description("How many of them are in the vector because of the call")
    int inserted;

    private Insertion(long vector, String domain) {
      super(vector, domain);
      begin();
    }

    void end(boolean wasAsynchronous, int requestedCount, int insertedCount) {
      asynchronous = wasAsynchronous;
      requested = requestedCount;
      inserted = insertedCount;
      commit();
    }
  }

  /** One call of a removal. */
  @Name(REMOVAL)
  @Label("Address Removal")
  @Description("One removal call")
  static final class Removal extends VectorEvent {
    private static final Removal PROBE = new Removal(0, "");

    @Label("Requested")
    @Description("How many handles were given")
    int requested;

    @Label("Removed")
    @Description("How many of them named an entry, or a share of one, which is gone now")
    int removed;

    private Removal(long vector, String domain) {
      super(vector, domain);
      begin();
    }

    void end(int requestedCount, int removedCount) {
      requested = requestedCount;
      removed = removedCount;
      commit();
    }
  }

  /** A vector took memory. */
  @Name(GROWTH)
  @Label("Address Vector Growth")
  @Description("A vector took memory from the system, which it keeps until it is closed")
  static final class Growth extends VectorEvent {
    private static final Growth PROBE = new Growth(0, "", 0, 0);

    @Label("Taken")
    @DataAmount
    final long bytes;

    @Label("Held")
    @Description("What the vector holds in all")
    @DataAmount
    final long held;

    private Growth(long vector, String domain, long bytes, long held) {
      super(vector, domain);
      this.bytes = bytes;
      this.held = held;
    }
  }
}
