// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** Numbers without order that never repeat: bijections of 32 and 64 bits with 0 at 0. */
public final class Mixing {
  private Mixing() {}

  /** MurmurHash3's last step. */
  public static int mix(int value) {
    int h = value;
    h = (h ^ (h >>> 16)) * 0x85EB_CA6B;
    h = (h ^ (h >>> 13)) * 0xC2B2_AE35;
    return h ^ (h >>> 16);
  }

  /** The same for 64 bits. */
  public static long mix(long value) {
    long h = value;
    h = (h ^ (h >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
    h = (h ^ (h >>> 33)) * 0xC4CE_B9FE_1A85_EC53L;
    return h ^ (h >>> 33);
  }

  /** Positions 0 to {@code count - 1} in random order. */
  public static int[] order(int count, int seed) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
      long random = mix((long) seed << 32 | i) >>> 1;
      int other = (int) (random % (i + 1));
      int moved = order[i];
      order[i] = order[other];
      order[other] = moved;
    }
    return order;
  }
}
