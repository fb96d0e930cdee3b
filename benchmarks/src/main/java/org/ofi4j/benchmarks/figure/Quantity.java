// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a row measures.
 *
 * @param id the name for programs, which never changes
 * @param title the name for people
 * @param unit what its numbers count
 */
public record Quantity(String id, String title, Unit unit) {
  public static final Quantity INSERT_SINGLY = nanos("insert-singly", "insert, one by one");
  public static final Quantity UDP_WITH_HINT =
      nanos("insert-scattered-udp-hint", "udp's rounds with a count hint");
  public static final Quantity UDP_WITHOUT_HINT =
      nanos("insert-scattered-udp-plain", "udp's rounds without");
  public static final Quantity LOOKUP = nanos("lookup", "lookup of a random handle");
  public static final Quantity FIND = nanos("find", "reverse lookup of a random address");
  public static final Quantity FIND_IN_LOOKUPS =
      new Quantity("find-in-lookups", "reverse lookup, in lookups", Unit.TIMES);
  public static final Quantity FIND_IN_TURN =
      nanos("find-in-turn", "loads of a reverse lookup, one at a time");
  public static final Quantity LOOKUP_CONSECUTIVE =
      nanos("lookup-consecutive", "lookup, consecutive addresses");
  public static final Quantity FIND_CONSECUTIVE =
      nanos("find-consecutive", "reverse lookup, consecutive addresses");
  public static final Quantity REMOVE_IN_ORDER =
      nanos("remove-in-order", "remove, in order of insertion");
  public static final Quantity REMOVE_RANDOMLY =
      nanos("remove-randomly", "remove, in random order");
  public static final Quantity CHURN = nanos("churn", "remove one, insert another");
  public static final Quantity SYMMETRIC_ARRAY =
      nanos("insert-symmetric-array", "insertsym with the caller's array");

  public static final Quantity SHARED_LOOKUP = nanos("lookup-named", "lookup of a random handle");
  public static final Quantity SHARED_LOOKUP_IN_RUN =
      nanos("lookup-named-consecutive", "lookup, consecutive addresses");
  public static final Quantity SHARED_FIND =
      nanos("find-named", "reverse lookup of a random address");
  public static final Quantity SHARED_FIND_IN_RUN =
      nanos("find-named-consecutive", "reverse lookup, consecutive addresses");

  public static final Quantity ROUND_TRIP =
      new Quantity("round-trip", "round trip, median", Unit.MICROS);
  public static final Quantity ROUND_TRIP_TAIL = roundTrip("99");
  public static final Quantity MESSAGES =
      new Quantity("messages", "messages of a stream", Unit.MILLIONS_PER_SECOND);
  public static final Quantity ANNOUNCED =
      new Quantity("messages-more", "messages of a stream, FI_MORE", Unit.MILLIONS_PER_SECOND);
  public static final Quantity BANDWIDTH =
      new Quantity("bandwidth", "bytes of a stream", Unit.MEGABYTES_PER_SECOND);

  public static final Quantity SYSTEM_CALLS =
      new Quantity("system-calls", "system calls of a round trip, both sides", Unit.CALLS);

  public static final Quantity FIRST_MESSAGE =
      new Quantity("first-message", "processor time to the first message", Unit.MILLIS);
  public static final Quantity FIRST_MESSAGE_CACHED =
      new Quantity(
          "first-message-cached",
          "processor time to the first message, ahead-of-time cache",
          Unit.MILLIS);
  public static final Quantity ROUND_TRIP_EARLY =
      new Quantity("round-trip-early", "round trip after a fifteenth of the time", Unit.MICROS);
  public static final Quantity ROUND_TRIP_LATE =
      new Quantity("round-trip-late", "round trip after all of the time", Unit.MICROS);
  public static final Quantity ROUND_TRIP_EARLY_TO_LATE =
      new Quantity("round-trip-early-to-late", "the former over the latter", Unit.TIMES);
  public static final Quantity FIRST_ROUND_TRIPS =
      new Quantity("first-round-trips", "first 50,000 round trips, mean", Unit.MICROS);
  public static final Quantity FIRST_ROUND_TRIPS_TAIL =
      new Quantity("first-round-trips-99", "first 50,000 round trips, 99 % of them", Unit.MICROS);
  public static final Quantity STREAMED =
      new Quantity("streamed", "processor time of a streamed message, both sides", Unit.MICROS);
  public static final Quantity IDLE_HEAP =
      new Quantity("idle-heap", "heap of the server for an open idle connection", Unit.BYTES);
  public static final Quantity REQUEST =
      new Quantity("request", "processor time of the server for a request", Unit.MICROS);
  public static final Quantity TO_ITSELF =
      nanos("to-itself", "processor time of a message of 8 bytes to oneself");

  private static final Map<Quantity, Double> PERCENTILES = percentiles();

  private static Map<Quantity, Double> percentiles() {
    Map<Quantity, Double> percentiles = new LinkedHashMap<>();
    percentiles.put(ROUND_TRIP, 50.0);
    percentiles.put(roundTrip("90"), 90.0);
    percentiles.put(ROUND_TRIP_TAIL, 99.0);
    percentiles.put(roundTrip("99.9"), 99.9);
    return percentiles;
  }

  private static Quantity roundTrip(String percent) {
    return new Quantity(
        "round-trip-" + percent, "round trip, " + percent + " % of them", Unit.MICROS);
  }

  /** Round trips, and of how many in a hundred they are the longest. */
  public static Map<Quantity, Double> roundTrips() {
    return PERCENTILES;
  }

  private static Quantity nanos(String id, String title) {
    return new Quantity(id, title, Unit.NANOS);
  }

  /** Bulk insertion. */
  public static Quantity insert(AddressPattern pattern, Family family, boolean hint) {
    return nanos(
        "insert-" + pattern.title() + suffix(family) + (hint ? "-hint" : ""),
        "insert, " + pattern.title() + words(family) + (hint ? ", count hint" : ""));
  }

  /** Memory that the entries need. */
  public static Quantity live(AddressPattern pattern, Family family) {
    return bytes("live", pattern, family);
  }

  /** Memory that is reserved. */
  public static Quantity held(AddressPattern pattern, Family family) {
    return bytes("held", pattern, family);
  }

  /** Memory as the system counts it. */
  public static Quantity resident(AddressPattern pattern, Family family) {
    return bytes("resident", pattern, family);
  }

  private static Quantity bytes(String kind, AddressPattern pattern, Family family) {
    return new Quantity(
        kind + "-" + pattern.title() + suffix(family),
        kind + ", " + pattern.title() + words(family),
        Unit.BYTES);
  }

  /** Private memory of each of several processes that share a vector with the one that made it. */
  public static Quantity sharedPrivately(int processes) {
    return new Quantity(
        "process-private-" + processes,
        "private memory, each of " + processes + " more",
        Unit.BYTES_IN_ALL);
  }

  /** The same with the share that each process has of what is shared. */
  public static Quantity sharedProportionally(int processes) {
    return new Quantity(
        "process-pss-" + processes,
        "memory by share (Pss), each of " + processes + " more",
        Unit.BYTES_IN_ALL);
  }

  /** What an insertion takes one of several writers, each address by itself. */
  public static Quantity insertShared(int writers, int batch) {
    return nanos(
        "insert-named-" + (batch == 1 ? "singly" : "batch") + "-" + writers,
        "insert, " + batches(batch) + ", " + writers(writers));
  }

  /** The longest that one of several writers waited for a call. */
  public static Quantity insertSharedWorst(int writers, int batch) {
    Quantity insert = insertShared(writers, batch);
    return new Quantity(
        insert.id() + "-worst",
        "its longest call, " + batches(batch) + ", " + writers(writers),
        Unit.MILLIS);
  }

  /** How many addresses all writers insert together. */
  public static Quantity insertSharedRate(int writers, int batch) {
    return new Quantity(
        insertShared(writers, batch).id() + "-rate",
        "all together, " + batches(batch) + ", " + writers(writers),
        Unit.MILLIONS_PER_SECOND);
  }

  private static String batches(int batch) {
    return batch == 1 ? "one by one" : String.format(Locale.ROOT, "%,d at once", batch);
  }

  private static String writers(int writers) {
    return writers + (writers == 1 ? " writer" : " writers");
  }

  /** The same for another family of addresses. */
  public Quantity of(Family family) {
    return new Quantity(id + suffix(family), title + words(family), unit);
  }

  private static String suffix(Family family) {
    return family == Family.IPV4 ? "" : "-ipv6";
  }

  private static String words(Family family) {
    return family == Family.IPV4 ? "" : ", IPv6";
  }
}
