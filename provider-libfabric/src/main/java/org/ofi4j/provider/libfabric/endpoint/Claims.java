// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.libfabric.library.Constants;

/**
 * Messages of one endpoint that were put aside. Libfabric knows each by the context block of the
 * operation that has found it: so the operation keeps its block until libfabric has it again, which
 * takes or drops the message. Guarded by the lock of the domain.
 */
final class Claims {
  private static final long DROP = Flag.maskOf(TransferFlag.CLAIM, TransferFlag.DISCARD);

  private final NativeTraffic traffic;

  /** In the order in which they are taken. */
  private final List<Operation> aside = new ArrayList<>();

  Claims(NativeTraffic traffic) {
    this.traffic = traffic;
  }

  /**
   * Refuses to put one more message aside than receives may be posted. Searches that are under way
   * do not count.
   */
  void checkRoom() {
    long most = traffic.sizes().receives();
    if (aside.size() >= most) {
      throw new FabricException(
          Errno.ENOBUFS,
          ("%s messages are put aside, as many as receives may be posted: take or discard some"
                  + " with CLAIM and their contexts")
              .formatted(aside.size()));
    }
  }

  /** A search has found a message, and is over. */
  void putAside(Operation search, long tag, long length) {
    traffic.countReceives(-1);
    search.tag = tag;
    search.ignore = 0;
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
  @Nullable Operation take(@Nullable Object context) {
    for (int i = 0; i < aside.size(); i++) {
      if (aside.get(i).context == context) {
        return take(i);
      }
    }
    return null;
  }

  private Operation take(int index) {
    Operation taken = aside.remove(index);
    taken.claimed = false;
    traffic.countReceives(1);
    traffic.number(taken);
    return taken;
  }

  /** Puts back what was just taken, and could not be posted: before others with its context. */
  void putBack(Operation taken) {
    traffic.memory().release(taken);
    taken.buffer = null;
    taken.direct = null;
    taken.memory = null;
    taken.parts = null;
    taken.address = 0;
    taken.descriptor = 0;
    taken.claimed = true;
    aside.addFirst(taken);
    traffic.countReceives(-1);
  }

  /**
   * Posts an operation that was taken and is filled in.
   *
   * @return false if libfabric has no room for it; then it is put back
   */
  boolean post(Operation taken) {
    int errno = traffic.poster.post(taken);
    if (errno == Constants.TRY_AGAIN) {
      putBack(taken);
      return false;
    }
    if (errno == -Errno.ENOMSG.number()) {
      traffic.withdrawals.end(taken, none());
      return true;
    }
    if (errno < 0) {
      throw traffic.outcomes.refused(taken, errno);
    }
    return true;
  }

  /** Why a receive fails for which there is no message. */
  static FabricException none() {
    return new FabricException(
        Errno.ENOMSG,
        "no message is put aside for this context: peek and claim it first, with the same one; or"
            + " libfabric has lost it");
  }

  /** The endpoint is about to be closed: has libfabric drop all, as far as it can. */
  void drop() {
    while (!aside.isEmpty()) {
      Operation each = take(0);
      each.flags = DROP;
      if (traffic.domain.searchFault(DROP) == null) {
        // Whatever it says: what it does not drop goes with the endpoint.
        traffic.poster.post(each);
      }
    }
  }
}
