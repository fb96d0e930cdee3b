// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;

/**
 * {@code struct fid_cntr}, fi_cntr(3): counts operations that have ended, and those of them that
 * failed, without saying which.
 *
 * <p>An operation of an endpoint that the counter is bound to raises one of two numbers: {@link
 * #read} if it succeeded, {@link #readErrors} if it failed. It does so whether or not the
 * endpoint's completion queue reports it, and even if that queue has no room: operations that
 * complete silently and injected messages count. The completion, if there is one and room for it,
 * is in its queue before the operation counts. Looking for messages with {@link TransferFlag#PEEK}
 * or {@link TransferFlag#DISCARD} counts nothing.
 *
 * <p>Both numbers are unsigned and wrap around.
 *
 * <p>Any number of threads may call everything. With {@link Progress#MANUAL} reading and waiting
 * move the data of the endpoints that the counter is bound to, as reading their completion queues
 * does. {@link #close} is refused while endpoints are bound; closing the last of them and then the
 * counter wakes those who wait.
 */
public interface Counter extends FabricObject {
  /** {@return the domain that the counter belongs to} */
  Domain domain();

  /**
   * {@code fi_cntr_read}: drives progress and says how many operations have succeeded. Never waits.
   *
   * @return the number, unsigned
   */
  long read();

  /**
   * {@code fi_cntr_readerr}: drives progress and says how many operations have failed. Never waits.
   *
   * @return the number, unsigned
   */
  long readErrors();

  /**
   * {@code fi_cntr_add}: counts operations of the application's own as succeeded. Wakes those who
   * wait for that number.
   *
   * @param value how many, unsigned
   */
  void add(long value);

  /**
   * {@code fi_cntr_adderr}: counts operations of the application's own as failed. Wakes those who
   * wait.
   *
   * @param value how many, unsigned
   */
  void addErrors(long value);

  /**
   * {@code fi_cntr_set}: starts to count successes from another number. Wakes those who wait for
   * it.
   *
   * @param value the number, unsigned
   */
  void set(long value);

  /**
   * {@code fi_cntr_seterr}: starts to count failures from another number. Wakes those who wait.
   *
   * @param value the number, unsigned
   */
  void setErrors(long value);

  /**
   * {@code fi_cntr_wait}: drives progress until so many operations have succeeded, or the number of
   * failures changes.
   *
   * @param threshold the number of successes to wait for, unsigned; all those that were counted
   *     since the counter was opened or set
   * @param timeout how long to wait; negative waits without end
   * @return whether the number was reached; false when the time was up or the counter was closed
   * @throws FabricException with {@link Errno#EAVAIL} if the number of failures changed meanwhile
   *     and the threshold was not reached
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  boolean await(long threshold, Duration timeout) throws InterruptedException;
}
