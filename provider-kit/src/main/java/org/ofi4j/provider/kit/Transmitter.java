// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;

/**
 * The direction of a transport that sends messages, and reads and writes the memory of peers. For
 * each call of an application the kit checks the arguments, and then calls {@link #lock}, {@link
 * #take}, {@link #post} and {@link #unlock}.
 */
public interface Transmitter {
  /** The flags of sends and writes unless {@link #flags} says otherwise. */
  long SEND_FLAGS =
      Flag.maskOf(
          TransferFlag.REMOTE_CQ_DATA,
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  /** The flags of reads: a read has ended when its bytes are here, whatever level is asked for. */
  long READ_FLAGS =
      Flag.maskOf(
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  /**
   * Returns the flags that the application may give for a kind of operation.
   *
   * @param what {@code SEND}, {@code READ} or {@code WRITE}
   * @return bits of {@link TransferFlag}
   */
  default long flags(CounterFlag what) {
    return what == CounterFlag.READ ? READ_FLAGS : SEND_FLAGS;
  }

  /**
   * Takes the lock that guards the operations.
   *
   * @throws FabricException if the endpoint is closed; the lock is not taken then
   */
  void lock();

  /** Gives the lock back. No lock is held when this wakes threads or calls other code. */
  void unlock();

  /**
   * Takes an idle operation towards a peer, with the lock held.
   *
   * @param what {@code SEND}, {@code READ} or {@code WRITE}
   * @param tagged whether a message has a tag
   * @param peer the handle that the application gave
   * @return an operation that has {@linkplain Operation#begin begun}; null if as many are under way
   *     as there may be
   * @throws FabricException if the peer cannot be reached, or the operation is not offered
   */
  @Nullable Operation take(CounterFlag what, boolean tagged, long peer);

  /**
   * Starts an operation that was taken and filled in, with the lock held. From then on it ends in
   * one {@link Completions#report}, within this call or later.
   *
   * @param operation the operation that {@link #take} has returned
   * @throws FabricException if it is refused; the transport has given it back then
   */
  void post(Operation operation);

  /**
   * Returns how many operations are under way, or have ended and were not reported.
   *
   * @return the number of operations
   */
  long outstanding();
}
