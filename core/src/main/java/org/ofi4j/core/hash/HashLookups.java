// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Searches in a {@link HashTable}, by any thread. A search takes no lock and never waits for the
 * writer.
 *
 * <p>The object has no field that the writer changes with each number: a store to such a field
 * would take the cache line away from all readers.
 */
public final class HashLookups {
  /** The most searches that a change of the view may invalidate: the memory is damaged. */
  private static final int MOST_LOOKS = 1 << 20;

  /**
   * The tables of a view, in this process.
   *
   * @param next {@link Table#NONE} unless the table is moving
   */
  record View(long version, Table present, Table next) {
    /** Returns the table that has the cell of a hash, if there is one. */
    Table of(long hash, long view) {
      return HashTable.isMoving(view) && present.homeBucket(hash) < HashTable.frontier(view)
          ? next
          : present;
    }
  }

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long at;

  /** Tables of the latest view that a thread has loaded; safe without a lock, as all is final. */
  private View known = new View(0, Table.NONE, Table.NONE);

  HashLookups(SlabAllocator allocator, long at) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.at = at;
  }

  /**
   * Finds a number.
   *
   * @param match tells the number from others
   * @param key passed to the match
   * @param wanted passed to the match
   * @return a number that matches, or -1
   */
  public <K> int find(long hash, Match<K> match, @Nullable K key, long wanted) {
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      long view = SegmentAccess.longAcquire(root, at);
      View tables = tables(view);
      if (tables != null) {
        int found = tables.of(hash, view).search(hash, match, key, wanted);
        if (found != Match.CHANGED && isCurrent(view)) {
          if (found == Table.UNREADABLE) {
            break;
          }
          return found;
        }
      }
    }
    throw new IllegalStateException("hash " + Long.toHexString(hash) + " cannot be searched for");
  }

  /**
   * Returns the table that is likely to have a hash, for a caller that can tell by a number alone
   * whether it is right.
   */
  public Table likely(long hash) {
    View tables = known;
    return tables.next == Table.NONE ? tables.present : tables.of(hash, root.get(JAVA_LONG, at));
  }

  /** Whether the view has not changed since it was loaded, before cells were. */
  private boolean isCurrent(long view) {
    VarHandle.acquireFence();
    return SegmentAccess.longOpaque(root, at) == view;
  }

  /** Returns the tables of a view that was loaded, or null if the view has changed. */
  private @Nullable View tables(long view) {
    View tables = known;
    return tables.version == HashTable.version(view) ? tables : arrived(view);
  }

  private @Nullable View arrived(long view) {
    Table present;
    Table next = Table.NONE;
    try {
      present = Table.of(allocator, at + HashTable.descriptor(view, false));
      if (HashTable.isMoving(view)) {
        next = Table.of(allocator, at + HashTable.descriptor(view, true));
      }
    } catch (IllegalStateException torn) {
      if (isCurrent(view)) {
        throw torn;
      }
      return null;
    }
    VarHandle.acquireFence();
    if (HashTable.version(SegmentAccess.longOpaque(root, at)) != HashTable.version(view)) {
      return null;
    }
    return know(view, present, next);
  }

  /** Keeps the tables of a view for searches: of one that was loaded, or just stored. */
  View know(long view, Table present, Table next) {
    View found = new View(HashTable.version(view), present, next);
    known = found;
    return found;
  }

  // For the writer.

  /** Returns the present table of the latest view, or the next one. */
  Table ofWriter(long view, boolean next) {
    View tables = tables(view);
    if (tables == null) {
      throw new IllegalStateException("another thread writes to a hash table");
    }
    return next ? tables.next : tables.present;
  }
}
