// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** Over which fabrics messages that have come can be looked for, dropped and put aside. */
public final class Searches {
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long REMOVING = Flag.maskOf(TransferFlag.CLAIM, TransferFlag.DISCARD);

  /** What {@code ofi_rxm} before 2.0 is above where it does not cut messages into pieces. */
  private static final Set<String> WHOLE = Set.of("tcp;ofi_rxm", "net;ofi_rxm");

  /** Has it cut them there too. */
  private static final String CUTTING = "FI_OFI_RXM_ENABLE_DYN_RBUF";

  private Searches() {}

  /**
   * What is wrong with a search.
   *
   * @param provider as libfabric calls it
   * @param flags of the receive
   * @return words that stand behind the provider's name; null if there is nothing
   */
  public static @Nullable String fault(String provider, Libfabric library, long flags) {
    if (provider.equals("shm") && library.isBefore(1, 19)) {
      return "loses the message that it looks for: receive it instead";
    }
    boolean claims = (flags & CLAIM) != 0;
    if (claims && (provider.equals("net") || provider.equals("tcp"))) {
      return "gives a message that was put aside to another receive: take what PEEK has found with"
          + " an ordinary receive";
    }
    if (claims && provider.endsWith(";ofi_rxd")) {
      return "does not end a message that was put aside, and crashes when the endpoint is closed:"
          + " take what PEEK has found with an ordinary receive";
    }
    boolean cuts = !WHOLE.contains(provider) || System.getenv(CUTTING) != null;
    if ((flags & REMOVING) != 0
        && provider.endsWith(";ofi_rxm")
        && library.isBefore(2, 0)
        && cuts) {
      return "drops, or puts aside, the first piece of a message only: take what PEEK has found"
          + " with an ordinary receive";
    }
    return null;
  }
}
