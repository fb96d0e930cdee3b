// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import org.ofi4j.Errno;
import org.ofi4j.InsertionFailure;

/** Why one address of an insertion failed, in words. */
public final class FailureWords {
  private FailureWords() {}

  /**
   * Describes a failure.
   *
   * @param shortage what there was none of, {@code EntryStore.shortage}
   */
  public static InsertionFailure of(
      AddressSource source, int position, int errno, String shortage) {
    Errno known = Errno.of(errno);
    String reason =
        switch (known) {
          case ECANCELED ->
              "was not tried: an earlier address failed and ended the call, or the vector was"
                  + " closed before the names of its call were resolved";
          case ENOKEY -> "comes with the handle of an authorization key that was not inserted here";
          default -> source.reason(position);
        };
    return new InsertionFailure(
        position, source.text(position), known, reason.isEmpty() ? own(known, shortage) : reason);
  }

  /** Why an address that nothing is wrong with failed. */
  private static String own(Errno errno, String shortage) {
    return switch (errno) {
      case EALREADY -> "is in the vector already, and the duplicate policy is REJECT";
      case ENOMEM -> "found " + shortage;
      case EINVAL -> "comes with a handle that names no authorization key of the vector";
      case EAGAIN -> "another process held the lock until the vector was closed";
      case EIO -> "the files of the vector are damaged";
      default -> "failed with " + errno;
    };
  }
}
