// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** What the number of a row counts. Of time and memory less is better, of the others more. */
public enum Unit {
  /** Nanoseconds for each address, handle or cycle. */
  NANOS("ns"),
  /** Milliseconds for the whole call. */
  MILLIS("ms"),
  /** Microseconds for each round trip. */
  MICROS("us"),
  /** Bytes for each entry. */
  BYTES("bytes"),
  /** Bytes in all. */
  BYTES_IN_ALL("bytes in all"),
  /** Reads of a server. */
  READS("reads"),
  /** System calls. */
  CALLS("calls"),
  /** How many times something else. */
  TIMES("x"),
  /** Millions in a second. */
  MILLIONS_PER_SECOND("million/s"),
  /** Millions of bytes in a second. */
  MEGABYTES_PER_SECOND("MB/s");

  private final String text;

  Unit(String text) {
    this.text = text;
  }

  /** The unit for people. */
  public String text() {
    return text;
  }
}
