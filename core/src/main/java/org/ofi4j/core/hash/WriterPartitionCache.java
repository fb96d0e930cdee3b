// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the writer of {@link HashTable} has seen of partitions, in arrays of this process: many
 * buckets are found in few instructions. For each place of the directory the word of its partition,
 * or 0 if that has to be looked at, and the units of its blocks. For one thread at a time.
 */
public final class WriterPartitionCache {
  /** Numbers for each place, as a power of two: a unit for each block, and one unused. */
  private static final int UNIT_BITS = 3;

  private final Partitions partitions;

  private @Nullable Directory directory;
  private int shift;
  private long[] words = {};
  private int[] units = {};

  WriterPartitionCache(Partitions partitions) {
    this.partitions = partitions;
  }

  /** Goes by a directory from now on. */
  public void follow(Directory present) {
    if (directory == present) {
      return;
    }
    int places = 1 << present.depth();
    if (words.length < places) {
      int[] wider = new int[places << UNIT_BITS];
      words = new long[places];
      units = wider;
    } else {
      Arrays.fill(words, 0);
    }
    shift = -present.depth();
    directory = present;
  }

  /** Looks at everything anew, as another process may have written. */
  void forget() {
    directory = null;
  }

  /** The word of a partition; 0 if there is no such partition. */
  public long word(long hash) {
    int place = (int) (hash >>> shift);
    long word = words[place];
    return word != 0 ? word : look(place);
  }

  /** The unit of the bucket that a search for a hash begins at. */
  public int home(long hash, long word) {
    int bucketBits = PartitionWord.bucketBits(word);
    int bucket = PartitionWord.home(hash, PartitionWord.buckets(word));
    int block = ((int) (hash >>> shift) << UNIT_BITS) + (bucket >>> bucketBits);
    return units[block] + (bucket & (1 << bucketBits) - 1);
  }

  /**
   * Counts one more cell of those that are free in a partition with a {@link #word}.
   *
   * @return false if there is no room
   */
  public boolean takeRoom(long word) {
    Directory followed = directory;
    return followed != null && followed.takeRoom(followed.first(word));
  }

  /** A partition has another word, or there is a new one, with its first word. */
  void changed(long word) {
    Directory followed = directory;
    if (followed == null) {
      return;
    }
    int depth = PartitionWord.depth(word);
    if (depth == 0 || depth > followed.depth()) {
      // It is no partition any more, or one for a directory to come.
      directory = null;
      Arrays.fill(words, 0);
      return;
    }
    int first = followed.first(word);
    Arrays.fill(words, first, first + (1 << (followed.depth() - depth)), 0);
  }

  private long look(int place) {
    Directory followed = directory;
    int partition = followed == null ? 0 : followed.partitionForWriter(place);
    if (partition == 0) {
      return 0;
    }
    long word = partitions.word(partition);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      units[(place << UNIT_BITS) + i] = partitions.block(partition, word, i);
    }
    words[place] = word;
    return word;
  }
}
