// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Messages of one endpoint that were put aside. Libfabric knows each by the context block of the
 * operation that has found it: so the operation keeps its block until libfabric has it again, which
 * takes or drops the message. Guarded by the lock of the domain.
 */
final class Claims {
  /** In the order in which they are taken. */
  private final List<NativeOperation> aside = new ArrayList<>();

  /**
   * Refuses to put one more message aside than receives may be posted. Searches that are under way
   * do not count.
   *
   * @param most how many receives may be posted
   */
  void checkRoom(int most) {
    if (aside.size() >= most) {
      throw new FabricException(
          Errno.ENOBUFS,
          ("%s messages are put aside, as many as receives may be posted: take or discard some"
                  + " with CLAIM and their contexts")
              .formatted(aside.size()));
    }
  }

  /** Keeps a search that is over, as it has found a message. */
  void putAside(NativeOperation search, long tag, long length) {
    search.foundTag = tag;
    search.found = length;
    search.directed = null;
    search.severed = false;
    search.withdrawn = false;
    search.claimed = true;
    aside.addLast(search);
  }

  /**
   * Takes the operation that has put a message aside, to be posted again.
   *
   * @param context which it had, by identity
   * @return null if there is none
   */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  @Nullable NativeOperation take(@Nullable Object context) {
    for (int i = 0; i < aside.size(); i++) {
      if (aside.get(i).context == context) {
        return take(i);
      }
    }
    return null;
  }

  /** Takes the next operation that has put a message aside; null if there is none. */
  @Nullable NativeOperation poll() {
    return aside.isEmpty() ? null : take(0);
  }

  private NativeOperation take(int index) {
    NativeOperation taken = aside.remove(index);
    taken.claimed = false;
    taken.claims = true;
    return taken;
  }

  /** Puts back what was just taken, and could not be posted: before others with its context. */
  void putBack(NativeOperation taken) {
    taken.claimed = true;
    taken.claims = false;
    aside.addFirst(taken);
  }

  /** Returns why a receive fails for which there is no message. */
  static FabricException none() {
    return new FabricException(
        Errno.ENOMSG,
        "no message is put aside for this context: peek and claim it first, with the same one; or"
            + " libfabric has lost it");
  }
}
