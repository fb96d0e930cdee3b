// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import org.HdrHistogram.Histogram;

/**
 * What came out for one message size.
 *
 * @param roundTrips each round trip in nanoseconds
 */
record SizeResult(int bytes, int sent, long acknowledged, long nanos, Histogram roundTrips) {
  /** Bytes in both directions. */
  public long totalBytes() {
    return 2L * sent * bytes;
  }

  /** The time of one message one way. */
  public double usecPerTransfer() {
    return nanos / 1e3 / sent / 2;
  }

  /** Megabytes of 10^6 bytes in a second. */
  public double megabytesPerSecond() {
    return totalBytes() * 1e3 / nanos;
  }

  /** Half of the round trip that a share of 0 to 100 % of all round trips did not exceed. */
  public double usecAtPercentile(double percentile) {
    return roundTrips.getValueAtPercentile(percentile) / 2e3;
  }

  /** Half of the longest round trip. */
  public double usecMax() {
    return roundTrips.getMaxValue() / 2e3;
  }

  /** Half of the mean round trip. */
  public double usecMean() {
    return roundTrips.getTotalCount() == 0 ? 0 : roundTrips.getMean() / 2e3;
  }
}
