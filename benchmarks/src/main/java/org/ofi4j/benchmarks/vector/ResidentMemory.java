// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Machine;
import org.ofi4j.benchmarks.figure.Quantity;

/**
 * Private memory that the system counts, in a JVM that does nothing else. The compiler's own memory
 * grows before the vectors do: others are filled first. All stay open, because memory that one gave
 * back would be there already.
 */
record ResidentMemory(FigureSink figures) {
  private static final int PART = 65_536;
  private static final int WARM_UP = 2 * PART;

  /** Measures once, the smallest first; perhaps none of IPv6. */
  void run(int peers, int longPeers) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory ipv4 = new VectorFactory(Family.IPV4);
        VectorFactory ipv6 = new VectorFactory(Family.IPV6);
        AddressVector warm = ipv4.open(0);
        AddressVector warmLong = ipv6.open(0);
        AddressVector consecutive = ipv4.open(0);
        AddressVector scattered = ipv4.open(0);
        AddressVector scatteredLong = ipv6.open(0)) {
      parts(arena, AddressPattern.CONSECUTIVE, Family.IPV4).insert(warm, 0, WARM_UP);
      parts(arena, AddressPattern.SCATTERED, Family.IPV4).insert(warm, 0, WARM_UP);
      parts(arena, AddressPattern.SCATTERED, Family.IPV6).insert(warmLong, 0, PART);
      fill(arena, consecutive, AddressPattern.CONSECUTIVE, Family.IPV4, peers);
      fill(arena, scattered, AddressPattern.SCATTERED, Family.IPV4, peers);
      if (longPeers > 0) {
        fill(arena, scatteredLong, AddressPattern.SCATTERED, Family.IPV6, longPeers);
      }
    }
  }

  private static AddressParts parts(Arena arena, AddressPattern pattern, Family family) {
    return new AddressParts(arena, pattern, family, PART);
  }

  private void fill(
      Arena arena, AddressVector vector, AddressPattern pattern, Family family, int peers) {
    // Its own memory is there before.
    AddressParts parts = parts(arena, pattern, family);
    long before = Machine.resident();
    parts.insert(vector, 0, peers);
    long bytes = Machine.resident() - before;
    figures.add(Quantity.resident(pattern, family), peers, (double) bytes / peers);
  }
}
