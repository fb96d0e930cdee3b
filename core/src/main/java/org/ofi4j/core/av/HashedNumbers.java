package org.ofi4j.core.av;

/** What the numbers in {@link HashCells} stand for. */
interface HashedNumbers {
  /**
   * The hashes that numbers were put in with. Many at once, so that their cache misses overlap; for
   * the writer.
   *
   * @param numbers the numbers
   * @param count how many of them
   * @param hashes takes the hash of each
   */
  void hash(int[] numbers, int count, long[] hashes);
}
