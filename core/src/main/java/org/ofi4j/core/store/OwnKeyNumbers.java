// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.Arrays;

/** Numbers of the keys of a vector that nobody else has. */
public final class OwnKeyNumbers implements KeyNumbers {
  private static final byte[] NO_FINGERPRINT = {};
  private static final int FREE = -1;

  private final int most;

  /** How many entries are under each key, by number; {@link #FREE} where there is no key. */
  private int[] entries = {};

  /**
   * No keys.
   *
   * @param most how many there may be at a time
   */
  public OwnKeyNumbers(int most) {
    this.most = most;
  }

  @Override
  public byte[] fingerprint(byte[] key) {
    return NO_FINGERPRINT;
  }

  @Override
  public int allocate(byte[] fingerprint) {
    int number = 0;
    while (number < entries.length && entries[number] != FREE) {
      number++;
    }
    if (number >= most) {
      return KeyNumbers.NONE;
    }
    set(number, 0);
    return number;
  }

  @Override
  public void free(int number) {
    set(number, FREE);
  }

  @Override
  public int entries(int number) {
    return entries[number];
  }

  @Override
  public void countEntries(int number, int change) {
    entries[number] += change;
  }

  @Override
  public boolean isEmpty() {
    return entries.length == 0;
  }

  @Override
  public boolean isElsewhere(int number) {
    return false;
  }

  private void set(int number, int count) {
    int[] changed = Arrays.copyOf(entries, Math.max(entries.length, number + 1));
    changed[number] = count;
    entries = changed;
  }
}
