// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.historic;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.Profile;

/**
 * What pages of fi_av(3) say of an {@link AddressVector} that programs of today do not need: calls
 * that are discouraged, that only the candidates of version 1.0 have, or whose flags must be 0.
 *
 * <p>Safe to call from any thread, as the vector is.
 */
public interface HistoricVector {
  /**
   * {@return the historic calls of a vector}
   *
   * @param vector any vector
   * @throws FabricException with {@link Errno#ENOSYS} if its provider has none
   */
  static HistoricVector of(AddressVector vector) {
    if (vector instanceof HistoricVector historic) {
      return historic;
    }
    throw new FabricException(
        vector == null ? Errno.EINVAL : Errno.ENOSYS,
        vector == null
            ? "vector is null, but a value is needed"
            : vector + " has no calls of former pages: its provider does not offer them");
  }

  /**
   * {@code fi_av_bind}: names the event queue that asynchronous insertions report to. Must precede
   * the first insertion.
   *
   * @param queue an event queue of the same fabric
   * @param flags must be 0
   * @throws FabricException with {@link Errno#EINVAL} if the vector is synchronous or bound
   *     already, or flags are not 0
   * @deprecated The man page discourages asynchronous insertion from version 2.0; it keeps working.
   */
  @Deprecated
  void bind(EventQueue queue, long flags);

  /**
   * {@code fi_av_insert_auth_key}, with flags.
   *
   * @param key the key's bytes
   * @param flags must be 0
   * @return as {@link AddressVector#insertAuthKey}
   * @throws FabricException as there; {@link Errno#EINVAL} for flags
   */
  long insertAuthKey(byte[] key, long flags);

  /**
   * {@code fi_av_straddr} as the 1.0 candidate declared it, with the length passed by value.
   *
   * @param address one packed address in the vector's format
   * @param buffer takes as much of the text as fits
   * @param length how much of the buffer may be used, in bytes
   * @return the buffer, or null if the address's family is not known
   * @throws FabricException with {@link Errno#ENOSYS} in any profile but {@link
   *     Profile#CANDIDATE_1_0}
   */
  @Nullable MemorySegment toText(MemorySegment address, MemorySegment buffer, long length);
}
