package org.ofi4j.core.av;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** How many entries of which sort a store has. One thread writes; any thread reads. */
final class EntryCounts {
  private static final VarHandle LIVE;
  private static final VarHandle MOST_LIVE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LIVE = lookup.findVarHandle(EntryCounts.class, "live", int.class);
      MOST_LIVE = lookup.findVarHandle(EntryCounts.class, "mostLive", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int live;
  private int mostLive;
  private int reserved;

  /** Live entries that have slots. */
  private int scattered;

  /** Entries came, or, with a negative number, went. */
  void add(int more) {
    LIVE.setRelease(this, live + more);
    if (live > mostLive) {
      MOST_LIVE.setRelease(this, live);
    }
  }

  /** As {@link #add}, of entries with slots. */
  void addScattered(int more) {
    scattered += more;
    add(more);
  }

  /** Entries lost their slots to a run. */
  void promoted(int count) {
    scattered -= count;
  }

  /** Reservations came or went. */
  void addReserved(int more) {
    reserved += more;
  }

  /** How many entries there are. */
  int live() {
    return (int) LIVE.getAcquire(this);
  }

  /** The most entries so far. */
  int mostLive() {
    return (int) MOST_LIVE.getAcquire(this);
  }

  /** How many entries have no slots. */
  int inRuns() {
    return Math.max(0, live() - scattered);
  }

  /** How many slots are in use. */
  long slots() {
    return (long) scattered + reserved;
  }
}
