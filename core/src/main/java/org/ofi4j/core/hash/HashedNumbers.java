// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

/** What the numbers in {@link HashTable} stand for. */
public interface HashedNumbers {
  /**
   * The hashes that numbers were put in with; numbers that stand for nothing any more are left out.
   * Many at once, so that their cache misses overlap; for the writer.
   *
   * @param numbers the numbers; becomes those that are left
   * @param hashes takes the hash of each that is left
   * @return how many are left; among them may be numbers that stand for something else now, with
   *     the hash of that
   */
  int hash(int[] numbers, int count, long[] hashes);

  /**
   * The hash of one number.
   *
   * @param otherwise the answer for a number that stands for nothing any more
   */
  long hash(int number, long otherwise);
}
