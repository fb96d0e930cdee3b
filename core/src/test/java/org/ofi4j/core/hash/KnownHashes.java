// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import java.util.function.IntToLongFunction;

/**
 * Numbers whose hashes a test knows.
 *
 * @param hashes the hash of each number; 0 of one that stands for nothing
 */
public record KnownHashes(IntToLongFunction hashes) implements HashedNumbers {
  @Override
  public int hash(int[] numbers, int count, long[] into) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      long hash = hashes.applyAsLong(numbers[i]);
      if (hash != 0) {
        into[left] = hash;
        numbers[left++] = numbers[i];
      }
    }
    return left;
  }

  @Override
  public long hash(int number, long otherwise) {
    long hash = hashes.applyAsLong(number);
    return hash == 0 ? otherwise : hash;
  }
}
