// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.util.stream.IntStream;

/** The message sizes of a run. Both sides work them out alone, so both must come to the same. */
final class TestSizes {
  private static final int[] DEFAULTS = {64, 256, 1024, 4096, 65_536, 1_048_576};
  private static final int MAX_POWER = 22;

  /** The longest message of any run: 6 MiB. */
  static final int LONGEST = (1 << MAX_POWER) + (1 << (MAX_POWER - 1));

  private TestSizes() {}

  /** The sizes when none is asked for, as far as the endpoint can send them. */
  static int[] defaults(long longest) {
    return IntStream.of(DEFAULTS).takeWhile(size -> size <= longest).toArray();
  }

  /** All powers of two and the sizes half-way between them: 0, 1, 2, 3, 4, 6, 8, 12 and so on. */
  static int[] all(long longest) {
    return IntStream.concat(
            IntStream.of(0, 1),
            IntStream.rangeClosed(1, MAX_POWER)
                .flatMap(power -> IntStream.of(1 << power, (1 << power) + (1 << (power - 1)))))
        .takeWhile(size -> size <= longest)
        .toArray();
  }
}
