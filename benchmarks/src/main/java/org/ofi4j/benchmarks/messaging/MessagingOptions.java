// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.util.List;

/**
 * Which messages to measure.
 *
 * @param sizes in bytes, each from 1 to {@link #LONGEST}
 * @param libfabric whether to do the same on libfabric
 * @param rounds how many rounds after warm-up
 * @param provider what carries them, on both sides: {@link #TCP}, or one of libfabric's
 */
public record MessagingOptions(
    List<Integer> sizes, boolean libfabric, int rounds, String provider) {
  /** The provider of pure Java; libfabric's is called the same. */
  public static final String TCP = "tcp";

  /** The longest message: each of four processes has three buffers of that size. */
  public static final int LONGEST = 1 << 26;

  /** Keeps a copy. */
  public MessagingOptions {
    sizes = List.copyOf(sizes);
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
