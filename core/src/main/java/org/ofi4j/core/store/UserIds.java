// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;

/**
 * The user ids that this process has given to entries of one opened vector (D-57). They are kept on
 * the heap, each with the generation of the index that it belongs to. So an id ends with its entry,
 * in whichever process that is removed, and no later entry of the index has it (D-40).
 *
 * <p>One thread at a time sets ids. Any thread reads them without waiting and without garbage.
 */
final class UserIds {
  private static final int PAGE_BITS = 10;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final int PAGES = 1 << (Integer.SIZE - 1 - PAGE_BITS);

  /**
   * An id.
   *
   * @param generation that of the index that it belongs to
   */
  private record UserId(long generation, long id) {}

  private final IntPredicate isLive;
  private final IntToLongFunction generations;

  private volatile AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable UserId>> pages =
      new AtomicReferenceArray<>(0);

  /**
   * No ids yet, of entries of a store.
   *
   * @param isLive whether an index is live; lock-free
   * @param generations the generation of an index; lock-free
   */
  UserIds(IntPredicate isLive, IntToLongFunction generations) {
    this.isLive = isLive;
    this.generations = generations;
  }

  /**
   * Gives an entry or a reservation an id, or another one, for the generation that its index has.
   *
   * @param index any number
   * @param mayHaveId whether an index is one that may have an id now
   * @return 0; {@code -EINVAL} if the index may not have an id; {@code -ENOMEM}
   */
  public int set(int index, IntPredicate mayHaveId, long id) {
    try {
      long generation;
      do {
        generation = generations.applyAsLong(index);
        if (!mayHaveId.test(index)) {
          return -Errno.EINVAL.number();
        }
      } while (generations.applyAsLong(index) != generation);
      AtomicReferenceArray<@Nullable UserId> page = page(index);
      if (page == null) {
        page = new AtomicReferenceArray<>(PAGE);
        pagesFor(index >>> PAGE_BITS).setRelease(index >>> PAGE_BITS, page);
      }
      page.setRelease(index & (PAGE - 1), new UserId(generation, id));
      return 0;
    } catch (OutOfMemoryError exhausted) {
      return -Errno.ENOMEM.number();
    }
  }

  private AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable UserId>> pagesFor(
      int number) {
    AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable UserId>> now = pages;
    int length = now.length();
    if (number < length) {
      return now;
    }
    AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable UserId>> more =
        new AtomicReferenceArray<>(Math.min(PAGES, Math.max(number + 1, length * 2)));
    for (int i = 0; i < length; i++) {
      more.setPlain(i, now.getPlain(i));
    }
    pages = more;
    return more;
  }

  /** The id of an entry, whose index may be any number; {@code absent} if it has none. */
  long get(int index, long absent) {
    UserId found = find(index);
    return found == null ? absent : found.id;
  }

  /** Whether an entry, whose index may be any number, has an id. */
  boolean has(int index) {
    return find(index) != null;
  }

  /**
   * The id of a live entry. The id is loaded first, so its generation has begun. If the index is
   * live after that, and has the same generation still later, the live entry was of this
   * generation, as generations only grow and end with reservations, too.
   */
  private @Nullable UserId find(int index) {
    AtomicReferenceArray<@Nullable UserId> page = page(index);
    UserId found = page == null ? null : page.getAcquire(index & (PAGE - 1));
    return found != null && isLive.test(index) && generations.applyAsLong(index) == found.generation
        ? found
        : null;
  }

  private @Nullable AtomicReferenceArray<@Nullable UserId> page(int index) {
    AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable UserId>> now = pages;
    int number = index >>> PAGE_BITS;
    return number < now.length() ? now.getAcquire(number) : null;
  }
}
