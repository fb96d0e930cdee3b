// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Which {@link Directory} of a table is in use: a word in the root says so, and objects of this
 * process remember it. A deeper one takes the place of another by one store of that word; the
 * memory of all that there were is kept, since searches may still look at them.
 *
 * <p>A search that stood still may put back what is out of use. It finds that out by the words of
 * the partitions; the writer looks at the root each time.
 */
final class Directories {
  private static final VarHandle SEEN;

  static {
    try {
      SEEN = MethodHandles.lookup().findVarHandle(Directories.class, "seen", Directory.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long word;
  private final long list;
  private final int firstDepth;

  /** The one that the root told of when somebody looked last. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable Directory seen;

  /**
   * No directory.
   *
   * @param word where the root says which is in use (8 bytes)
   * @param list where it has the block with the directories made so far (4 bytes)
   * @param firstDepth how many bits the first one goes by
   */
  Directories(SlabAllocator allocator, long word, long list, int firstDepth) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.word = word;
    this.list = list;
    this.firstDepth = firstDepth;
  }

  // For any thread.

  /** See {@link HashTable#partition}. */
  int partition(long hash) {
    Directory known = (Directory) SEEN.getAcquire(this);
    int partition = known == null ? 0 : known.partition(known.place(hash));
    return partition != 0 ? partition : partitionByRoot(hash);
  }

  /** Lets all go by the directory that the root tells of; that, or null. */
  @Nullable Directory refresh() {
    Directory known = (Directory) SEEN.getAcquire(this);
    long rootWord = SegmentAccess.longAcquire(root, word);
    if (known == null ? rootWord == 0 : known.rootWord() == rootWord) {
      return known;
    }
    Directory told = rootWord == 0 ? null : new Directory(allocator, rootWord);
    SEEN.compareAndSet(this, known, told);
    return told;
  }

  private int partitionByRoot(long hash) {
    while (true) {
      Directory known = refresh();
      long rootWord = known == null ? 0 : known.rootWord();
      int partition = known == null ? 0 : known.partition(known.place(hash));
      // The root is loaded after the partition.
      if (partition != 0 || SegmentAccess.longAcquire(root, word) == rootWord) {
        return partition;
      }
    }
  }

  // For the writer.

  /** Bytes of the directory that the root tells of. */
  int presentBytes() {
    long rootWord = SegmentAccess.longOpaque(root, word);
    return rootWord == 0 ? 0 : Directory.bytes(Directory.depth(rootWord));
  }

  /**
   * The directory in use; if there is none, the first one from now on.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  Directory open() {
    Directory known = refresh();
    return known != null ? known : openFirst();
  }

  /** Whether the directory in use is deeper than the first one was. */
  boolean isDeep() {
    Directory known = refresh();
    return known != null && known.depth() > firstDepth;
  }

  /**
   * A directory of twice the size takes over.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  Directory deepen() {
    Directory narrow = open();
    Directory wide = ofDepth(narrow.depth() + 1);
    wide.spread(narrow);
    use(wide);
    return wide;
  }

  /** From now on none is in use. */
  void close() {
    use(null);
  }

  private Directory openFirst() {
    Directory first = ofDepth(firstDepth);
    // It may have been in use before.
    first.publish(0, 1 << firstDepth, 0);
    use(first);
    return first;
  }

  private void use(@Nullable Directory directory) {
    SegmentAccess.longRelease(root, word, directory == null ? 0 : directory.rootWord());
    // What is stored next may go to blocks that only the old directory names.
    VarHandle.storeStoreFence();
    SEEN.setRelease(this, directory);
  }

  private Directory ofDepth(int depth) {
    int block = root.get(JAVA_INT, list);
    if (block == 0) {
      block = allocator.allocate(1);
      root.set(JAVA_INT, list, block);
    }
    MemorySegment units = allocator.segment(block);
    long offset = allocator.offset(block) + Directory.listOffset(depth);
    int unit = units.get(JAVA_INT, offset);
    if (unit == 0) {
      unit = allocator.allocate(Directory.units(depth));
      units.set(JAVA_INT, offset, unit);
    }
    return new Directory(allocator, Directory.rootWord(depth, unit));
  }
}
