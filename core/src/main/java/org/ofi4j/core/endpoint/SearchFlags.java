// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;

/** Flags of receives that ask for messages which have come. */
public final class SearchFlags {
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long DISCARD = TransferFlag.DISCARD.mask();
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();

  /** All of them. */
  public static final long ALL =
      Flag.maskOf(TransferFlag.PEEK, TransferFlag.CLAIM, TransferFlag.DISCARD);

  private SearchFlags() {}

  /** Whether no message comes into the memory of a receive: it only looks, or discards. */
  public static boolean leavesMemory(long flags) {
    return (flags & (PEEK | DISCARD)) != 0;
  }

  /** Refuses what makes no sense. */
  public static void check(@Nullable Object context, long flags) {
    if ((flags & DISCARD) != 0 && ((flags & PEEK) == 0) == ((flags & CLAIM) == 0)) {
      throw new FabricException(
          Errno.EBADFLAGS, "flag DISCARD goes with one of PEEK and CLAIM: say which to discard");
    }
    if ((flags & CLAIM) != 0 && context == null) {
      throw invalid("context is null, but a claimed message is known by its context");
    }
    if ((flags & MULTI_RECEIVE) != 0 && (flags & (PEEK | CLAIM)) != 0) {
      throw new FabricException(
          Errno.EBADFLAGS, "flag MULTI_RECEIVE does not go with PEEK or CLAIM");
    }
  }
}
