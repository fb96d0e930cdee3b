// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Handles;

/**
 * How long a lookup and a reverse lookup take, of peers in random order.
 *
 * @param lookupNanos nanoseconds for each lookup into a buffer
 * @param findNanos nanoseconds for each reverse lookup of a packed address
 */
public record LookupRates(double lookupNanos, double findNanos) {
  private static final int ROUNDS = 5;
  private static final int SAMPLE = 1 << 16;
  private static final int CALLS = 1 << 17;
  private static final int ELEMENT = 128;

  /** With fewer peers a measurement would be about loading and compiling classes. */
  public static final int FEWEST = 4096;

  /**
   * Measures a vector from which nothing was removed: the median of several rounds, so that neither
   * the first ones, which warm up, nor an interruption count.
   *
   * @return the rates, or null if the vector has too few peers to measure
   */
  public static @Nullable LookupRates measure(AddressVector vector) {
    int peers = (int) Math.min(vector.size(), Integer.MAX_VALUE);
    if (peers < FEWEST) {
      return null;
    }
    int sample = Math.min(peers, SAMPLE);
    int calls = Math.min(CALLS, Math.max(1 << 14, 8 * sample));
    SplittableRandom random = new SplittableRandom(peers);
    long[] handles = new long[sample];
    int[] lengths = new int[sample];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packed = arena.allocate((long) sample * ELEMENT, 8);
      MemorySegment buffer = arena.allocate(ELEMENT, 8);
      for (int i = 0; i < sample; i++) {
        handles[i] = vector.handleAt(random.nextInt(peers));
        lengths[i] = vector.lookup(handles[i], packed.asSlice((long) i * ELEMENT, ELEMENT));
      }
      double[] lookup = new double[ROUNDS];
      double[] find = new double[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        lookup[round] = (double) lookUp(vector, handles, buffer, calls) / calls;
        find[round] = (double) find(vector, packed, lengths, calls) / calls;
      }
      Arrays.sort(lookup);
      Arrays.sort(find);
      return new LookupRates(lookup[ROUNDS / 2], find[ROUNDS / 2]);
    }
  }

  private static long lookUp(
      AddressVector vector, long[] handles, MemorySegment buffer, int calls) {
    long begin = System.nanoTime();
    long length = 0;
    for (int i = 0, at = 0; i < calls; i++) {
      length += vector.lookup(handles[at], buffer);
      at = at + 1 == handles.length ? 0 : at + 1;
    }
    long nanos = System.nanoTime() - begin;
    if (length == 0) {
      throw new IllegalStateException("lookups gave nothing");
    }
    return nanos;
  }

  private static long find(AddressVector vector, MemorySegment packed, int[] lengths, int calls) {
    long begin = System.nanoTime();
    long missing = 0;
    for (int i = 0, at = 0; i < calls; i++) {
      // Addresses that are text may be longer than a sample keeps.
      if (lengths[at] <= ELEMENT) {
        long handle = vector.find(packed.asSlice((long) at * ELEMENT, lengths[at]));
        missing += handle == Handles.NOT_AVAILABLE ? 1 : 0;
      }
      at = at + 1 == lengths.length ? 0 : at + 1;
    }
    long nanos = System.nanoTime() - begin;
    if (missing > 0) {
      throw new IllegalStateException(missing + " peers were not found by their address");
    }
    return nanos;
  }
}
