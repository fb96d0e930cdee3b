// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.InsertionFailure;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;

/**
 * The addresses of one insertion, whatever they were given as. Used by one thread at a time;
 * positions count from 0 in the order of the call.
 */
public interface AddressSource {
  int count();

  /**
   * Does what may take long, such as resolving names. Called once before the first read, never
   * under a lock (AV-006).
   *
   * @throws InterruptedException if the caller no longer waits
   */
  default void prepare() throws InterruptedException {}

  /** Returns the memory that packed addresses are read from; null for all other addresses. */
  default @Nullable MemorySegment memory() {
    return null;
  }

  /** Reads one address, cheapest in ascending order; 0, or the errno that it fails with. */
  int read(int position, AddressKey into);

  /**
   * Reads IPv4 addresses that nothing is wrong with, as far as they follow each other. Not for
   * sources that have to be {@link #prepare prepared}.
   *
   * @param from the position of the first one
   * @param into takes {@code address << 16 | port} of each
   * @return how many were read; 0 if {@link #read} has to look at the first one
   */
  default int readIpv4(int from, long[] into) {
    return 0;
  }

  /**
   * The same addresses as ranges, one behind the other. Such a source needs not be {@link #prepare
   * prepared}.
   *
   * @return the ranges, or null if each address has to be {@link #read}
   */
  default @Nullable List<AddressRange> ranges() {
    return null;
  }

  /** One address as the caller wrote it, as far as it can be read. */
  String text(int position);

  /** Why {@link #read} refuses an address; empty if it does not. */
  String reason(int position);

  /**
   * Describes why an address was not inserted.
   *
   * @param shortage what there was none of, {@code EntryStore.shortage}
   */
  default InsertionFailure failure(int position, int errno, String shortage) {
    Errno known = Errno.of(errno);
    // Other errnos may be those that the address earns by itself.
    boolean isOfCall = known == Errno.ECANCELED || known == Errno.ENOKEY;
    String refusal = isOfCall ? "" : reason(position);
    if (refusal.isEmpty()) {
      refusal =
          switch (known) {
            case ECANCELED ->
                "was not tried: an earlier address failed and ended the call, or the vector was"
                    + " closed before the names of its call were resolved";
            case ENOKEY ->
                "comes with the handle of an authorization key that was not inserted here";
            case EALREADY -> "is in the vector already, and the duplicate policy is REJECT";
            case ENOMEM -> "found " + shortage;
            case EINVAL -> "comes with a handle that names no authorization key of the vector";
            case EAGAIN -> "another process held the lock until the vector was closed";
            case EIO -> "the files of the vector are damaged";
            default -> "failed with " + known;
          };
    }
    return InsertionFailure.of(position, text(position), known, refusal);
  }
}
