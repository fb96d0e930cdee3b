// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

/**
 * What became of a list of peers.
 *
 * @param empty blank lines and comments among them
 * @param badLines lines of which something is not in the vector
 * @param inserted peers that went in, one by one or in ranges
 * @param refused peers that did not, as far as they could be told
 * @param ranges symmetric specs among the lines
 * @param rangePeers peers that went in through them
 * @param names lines with a name to look up
 * @param packed peers that went in as numeric addresses, many in one call
 * @param packedNanos how long the vector took for these
 */
public record LoadSummary(
    long lines,
    long empty,
    long badLines,
    long inserted,
    long refused,
    long ranges,
    long rangePeers,
    long names,
    long packed,
    long packedNanos,
    long nanos) {
  /**
   * With fewer packed peers the time of the vector would be about loading and compiling classes:
   * they go in once, in milliseconds.
   */
  public static final long FEWEST_TIMED = 1 << 17;

  /** Nothing read yet. */
  public static final LoadSummary NONE = new LoadSummary(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** This and another list together. */
  public LoadSummary plus(LoadSummary other) {
    return new LoadSummary(
        lines + other.lines,
        empty + other.empty,
        badLines + other.badLines,
        inserted + other.inserted,
        refused + other.refused,
        ranges + other.ranges,
        rangePeers + other.rangePeers,
        names + other.names,
        packed + other.packed,
        packedNanos + other.packedNanos,
        nanos + other.nanos);
  }
}
