// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

/**
 * How much chaos.
 *
 * @param processes how many processes work at a time, 2 to {@link #MOST_PROCESSES}; a quarter of
 *     them only reads
 * @param kills how many of them are killed, 1 to {@link #MOST_KILLS}
 * @param seed of what is random, as far as it is not the system's doing
 */
public record ChaosOptions(int processes, int kills, long seed) {
  /** The most processes. */
  public static final int MOST_PROCESSES = 64;

  /** The most kills: each process has addresses of its own. */
  public static final int MOST_KILLS = ChaosAddresses.PROCESSES - MOST_PROCESSES;

  /** Refuses what cannot be. */
  public ChaosOptions {
    if (processes < 2 || processes > MOST_PROCESSES) {
      throw new IllegalArgumentException(
          "processes " + processes + " is not within 2 to " + MOST_PROCESSES);
    }
    if (kills < 1 || kills > MOST_KILLS) {
      throw new IllegalArgumentException("kills " + kills + " is not within 1 to " + MOST_KILLS);
    }
  }
}
