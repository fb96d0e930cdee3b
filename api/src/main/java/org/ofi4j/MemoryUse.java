// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * How much memory a vector takes outside of the heap: for entries, reverse lookup, free indices and
 * side data. User ids are on the heap and are not counted.
 *
 * @param live bytes that the present entries need
 * @param held bytes reserved from the system, including {@code live} and room to grow
 * @param side bytes within {@code live} for counts above one and other data that few entries have
 */
public record MemoryUse(long live, long held, long side) {
  /**
   * {@return live bytes for each entry, 0 when there is none}
   *
   * @param entries how many entries there are
   */
  public double livePerPeer(long entries) {
    return entries == 0 ? 0 : (double) live / entries;
  }

  /**
   * {@return held bytes for each entry, 0 when there is none}
   *
   * @param entries how many entries there are
   */
  public double heldPerPeer(long entries) {
    return entries == 0 ? 0 : (double) held / entries;
  }
}
