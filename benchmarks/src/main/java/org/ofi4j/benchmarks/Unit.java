package org.ofi4j.benchmarks;

/** What the number of a row counts. Of all but {@link #PERCENT} less is better. */
public enum Unit {
  /** Nanoseconds for each address, handle or cycle. */
  NANOS("ns"),
  /** Nanoseconds for the whole call. */
  NANOS_PER_CALL("ns a call"),
  /** Bytes for each entry. */
  BYTES("bytes"),
  /** Bytes in all. */
  BYTES_IN_ALL("bytes in all"),
  /** How many times something else. */
  TIMES("x"),
  /** Hundredths of something else. */
  PERCENT("%");

  private final String text;

  Unit(String text) {
    this.text = text;
  }

  /** Whether it counts time, or compares times. */
  boolean isTime() {
    return this != BYTES && this != BYTES_IN_ALL;
  }

  /**
   * The unit for people.
   *
   * @return such as {@code ns}
   */
  public String text() {
    return text;
  }
}
