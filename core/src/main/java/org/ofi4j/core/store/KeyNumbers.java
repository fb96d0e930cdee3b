// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

/**
 * Which numbers the authorization keys of a vector have, and how many entries are under each:
 * within one opening of it ({@link OwnKeyNumbers}), or among all processes that have it ({@link
 * SharedKeyNumbers}).
 *
 * <p>Between {@link EntryStore#begin} and {@link EntryStore#end}, but for {@link #fingerprint} and
 * {@link #isElsewhere}, which any thread may call.
 */
public interface KeyNumbers {
  /** The number of no key: that of an entry without. */
  int NONE = -1;

  /**
   * What a key is told from others by where its number is looked for; it may take a while.
   *
   * @return something that does not tell the key
   */
  byte[] fingerprint(byte[] key);

  /**
   * The number of a key that has none here: that which it has elsewhere, or the lowest unused one.
   *
   * @return its number; {@link #NONE} if there are as many keys as there may be
   * @throws org.ofi4j.FabricException if there is no memory for one more; then nothing changed
   */
  int allocate(byte[] fingerprint);

  /**
   * A key that was {@linkplain #allocate allocated} is not here any more. As long as entries are
   * under it, no other key gets its number.
   */
  void free(int number);

  /**
   * Tells that entries under a key came or went.
   *
   * @param number its number, also of a key that is not here
   * @param change how many more there are
   */
  void countEntries(int number, int change);

  /** Whether no entry can be under a key, as none ever had a number. */
  boolean isEmpty();

  /**
   * Whether a number is that of a key among others who have the vector.
   *
   * @param number any number but those of keys that are here
   * @return false if nobody else has the vector
   */
  boolean isElsewhere(int number);
}
