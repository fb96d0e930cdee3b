// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which messages to measure.
 *
 * @param sizes in bytes, each from 1 to {@link #LONGEST}
 * @param contestants who does the work, at least one
 * @param rounds how many rounds after warm-up
 * @param provider what carries the messages of this library and of libfabric: {@link #TCP}, {@link
 *     #MEMORY}, or one of libfabric's
 */
public record MessagingOptions(
    List<Integer> sizes, Set<Contestant> contestants, int rounds, String provider) {
  /** The provider of pure Java; libfabric's is called the same. */
  public static final String TCP = "tcp";

  /** The same through memory that both processes share; of libfabric, its provider shm. */
  public static final String MEMORY = "memory";

  /** The longest message: each of four processes has three buffers of that size. */
  public static final int LONGEST = 1 << 26;

  /** Keeps a copy. */
  public MessagingOptions {
    sizes = List.copyOf(sizes);
    if (contestants.isEmpty()) {
      throw new IllegalArgumentException("contestants: none is given");
    }
    contestants = Collections.unmodifiableSet(EnumSet.copyOf(contestants));
    if (sizes.isEmpty()) {
      throw new IllegalArgumentException("sizes: none is given");
    }
    for (int size : sizes) {
      if (size < 1 || size > LONGEST) {
        throw new IllegalArgumentException("sizes: " + size + " is not in 1 to " + LONGEST);
      }
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds: " + rounds + " must be at least 1");
    }
  }
}
