// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.store.EntryStore;

/**
 * Those who look at a store after a death, one after the other, and must all see the same: the
 * first of them everything, the others what {@linkplain View#telling tells} most.
 */
final class Witnesses {
  private final boolean several;
  private final View before;
  private final View after;

  private @Nullable View seen;
  private int[] indices = {};
  private long digest;

  /** What one in another process saw, before any of this one did. */
  private @Nullable Long claimed;

  /**
   * Nobody yet.
   *
   * @param several whether an address may have several indices
   * @param before what was seen before the change that somebody died of
   * @param after what is seen after that change
   */
  Witnesses(boolean several, View before, View after) {
    this.several = several;
    this.before = before;
    this.after = after;
  }

  /** Where those of other processes are to look; null if everywhere. */
  int @Nullable [] indices() {
    return seen == null ? null : indices;
  }

  /** Whether it is still to be found out what there is to be seen. */
  boolean isOpen() {
    return seen == null && claimed != null;
  }

  /** One more, with a store of his own. */
  void look(String who, EntryStore store) {
    View known = seen;
    if (known != null) {
      same(who, View.of(store, several, indices), known);
      return;
    }
    View all = View.of(store, several);
    String strange = all.strange(before, after);
    if (!strange.isEmpty()) {
      throw new AssertionError(who + ": " + strange);
    }
    indices = all.telling(before, after);
    seen = all.only(indices);
    digest = seen.digest();
    Long other = claimed;
    if (other != null && other != all.digest()) {
      throw new AssertionError(who + " sees something else than another process before");
    }
  }

  /** One more, of another process that has looked at {@link #indices}. */
  void look(long itsDigest) {
    if (seen == null) {
      claimed = itsDigest;
    } else if (itsDigest != digest) {
      throw new AssertionError("another process sees something else than all others");
    }
  }

  /** What all saw. */
  View seen() {
    View known = seen;
    if (known == null) {
      throw new AssertionError("nobody has looked");
    }
    return known;
  }

  /**
   * That who is told the generation of an index tells what came later from what was there once. An
   * entry whose address the change replaced is the same one.
   *
   * @param later what is seen after more changes
   */
  void checkGenerations(View later) {
    for (View earlier : List.of(before, seen())) {
      earlier
          .entries()
          .forEach((index, one) -> {
            View.Entry other = later.entries().get(index);
            View.Entry changed = after.entries().get(index);
            if (other != null
                && !other.address().equals(one.address())
                && other.generation() == one.generation()
                && (changed == null || !other.address().equals(changed.address()))) {
              throw new AssertionError(
                  "index " + index + " has " + other + " in the generation of " + one);
            }
          });
    }
  }

  /** That somebody sees what is to be seen. */
  static void same(String who, View view, View wanted) {
    if (!view.equals(wanted)) {
      throw new AssertionError(who + " sees something else: " + view.strange(wanted, wanted));
    }
  }
}
