// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;

/** The flags of receives that search messages which have arrived, see fi_tagged(3). */
public final class SearchFlags {
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long DISCARD = TransferFlag.DISCARD.mask();
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();

  /** The bits of {@code PEEK}, {@code CLAIM} and {@code DISCARD}. */
  public static final long ALL =
      Flag.maskOf(TransferFlag.PEEK, TransferFlag.CLAIM, TransferFlag.DISCARD);

  private SearchFlags() {}

  /**
   * Returns whether a receive leaves its memory alone, because it only peeks or discards.
   *
   * @param flags the flags of the receive
   * @return false if a message may be written to its memory
   */
  public static boolean leavesMemory(long flags) {
    return (flags & (PEEK | DISCARD)) != 0;
  }

  /**
   * Checks that the flags of a receive go together.
   *
   * @param context the context of the receive
   * @param flags its flags
   * @throws FabricException with {@link Errno#EBADFLAGS} if they do not, or {@link Errno#EINVAL} if
   *     a claim has no context
   */
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
