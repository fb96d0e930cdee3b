// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.TransferFlag;

/**
 * The direction of a transport that receives messages. For each call of an application the kit
 * checks the arguments, and then calls {@link #lock}, {@link #take}, {@link #post} and {@link
 * #unlock}. Several endpoints may share one ({@code FI_SHARED_CONTEXT}).
 */
public interface Receiver {
  /** The flags of receives, beside those that depend on capabilities. */
  long FLAGS =
      Flag.maskOf(
          TransferFlag.COMPLETION,
          TransferFlag.MORE,
          TransferFlag.PEEK,
          TransferFlag.CLAIM,
          TransferFlag.DISCARD);

  /**
   * Returns the flags that the application may give, beside those that depend on capabilities.
   *
   * @return bits of {@link TransferFlag}
   */
  default long flags() {
    return FLAGS;
  }

  /**
   * Takes the lock that guards the receives.
   *
   * @throws FabricException if the endpoint is closed; the lock is not taken then
   */
  void lock();

  /** Gives the lock back. No lock is held when this wakes threads or calls other code. */
  void unlock();

  /**
   * Takes an idle receive, with the lock held.
   *
   * @param tagged whether it takes tagged messages, and no others
   * @param source the handle that the application gave: of the only sender whose messages are taken
   *     if {@code directed}, of an authorization key with flag {@code AUTH_KEY}; otherwise it says
   *     at most a peer group
   * @param directed whether the receive takes messages of {@code source} alone
   * @param flags bits of {@link org.ofi4j.TransferFlag} that the kit has checked
   * @param context the context of the call, by which flag {@code CLAIM} knows a message
   * @return an operation that has {@linkplain Operation#begin begun}; null if as many are posted as
   *     there may be
   * @throws FabricException if the source means nothing here
   */
  @Nullable Operation take(
      boolean tagged, long source, boolean directed, long flags, @Nullable Object context);

  /**
   * Posts a receive that was taken and filled in, with the lock held. With flag {@code PEEK} or
   * {@code CLAIM} it looks for a message that has come, and ends at once.
   *
   * @param operation the operation that {@link #take} has returned
   * @return false if there is no room for it at this time; it was given back then
   * @throws FabricException if it is refused; it was given back then
   */
  boolean post(Operation operation);

  /**
   * Withdraws the receive that was posted first with a context, which ends with {@code ECANCELED}.
   * Called with the lock held.
   *
   * @param context compared by identity
   * @return false if none is posted
   */
  boolean cancel(@Nullable Object context);

  /**
   * Returns whether the source of a receive names no sender, though perhaps a peer group.
   *
   * @param source the handle that the application gave
   * @return true if it names no sender
   */
  default boolean isAnySource(long source) {
    return source == Handles.UNSPECIFIED;
  }

  /**
   * Returns how many receives are posted, or have ended and were not reported.
   *
   * @return the number of receives
   */
  long outstanding();
}
