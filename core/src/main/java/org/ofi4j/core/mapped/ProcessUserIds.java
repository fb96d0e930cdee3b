// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The user ids that this process has given to entries of a named vector (D-57). They are kept
 * outside of the vector's memory, each for one generation of an index: whoever ends that, in
 * whichever process, ends the id too (D-40).
 *
 * <p>Ids are set by one thread at a time, and read by any at any moment without waiting and without
 * garbage.
 */
final class ProcessUserIds {
  private static final int PAGE_BITS = 10;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final int PAGES = 1 << (Integer.SIZE - 1 - PAGE_BITS);

  /**
   * An id.
   *
   * @param generation that of the index that it belongs to
   */
  private record UserId(long generation, long id) {}

  private volatile @Nullable AtomicReferenceArray<@Nullable UserId>[] pages = pages(0);

  @SuppressWarnings({"unchecked", "rawtypes"}) // there is no generic array
  private static @Nullable AtomicReferenceArray<@Nullable UserId>[] pages(int count) {
    return new AtomicReferenceArray[count];
  }

  /**
   * Gives an entry an id, or another one.
   *
   * @param index its index, 0 or more
   * @throws OutOfMemoryError if there is no memory; then nothing has changed
   */
  void set(int index, long generation, long id) {
    AtomicReferenceArray<@Nullable UserId> page = page(index);
    if (page == null) {
      page = new AtomicReferenceArray<>(PAGE);
      int number = index >>> PAGE_BITS;
      int wanted = Math.min(PAGES, Math.max(number + 1, pages.length * 2));
      @Nullable AtomicReferenceArray<@Nullable UserId>[] more =
          number < pages.length ? pages.clone() : Arrays.copyOf(pages, wanted);
      more[number] = page;
      pages = more;
    }
    page.setRelease(index & (PAGE - 1), new UserId(generation, id));
  }

  /** Forgets what was given to an index, which may be any number, in any generation. */
  void forget(int index) {
    AtomicReferenceArray<@Nullable UserId> page = page(index);
    if (page != null) {
      page.setRelease(index & (PAGE - 1), null);
    }
  }

  /** The id of an entry, whose index may be any number; {@code absent} if it has none. */
  long get(int index, long generation, long absent) {
    UserId found = find(index);
    return found != null && found.generation == generation ? found.id : absent;
  }

  /** Whether an entry, whose index may be any number, has an id. */
  boolean has(int index, long generation) {
    UserId found = find(index);
    return found != null && found.generation == generation;
  }

  private @Nullable UserId find(int index) {
    AtomicReferenceArray<@Nullable UserId> page = page(index);
    return page == null ? null : page.getAcquire(index & (PAGE - 1));
  }

  /** Whether an index may have an id, in whichever generation. */
  boolean mayHave(int index) {
    return page(index) != null;
  }

  private @Nullable AtomicReferenceArray<@Nullable UserId> page(int index) {
    @Nullable AtomicReferenceArray<@Nullable UserId>[] now = pages;
    int number = index >>> PAGE_BITS;
    return number < now.length ? now[number] : null;
  }
}
