// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code struct fid_eq}, fi_eq(3): reports what asynchronous control operations did.
 *
 * <p>Any number of threads may read; each event goes to one of them. {@link #close} wakes readers
 * that wait, which then find the queue closed. Events of an object stay readable after it was
 * closed.
 *
 * <p>Events are in one order. {@link #poll} delivers failures in their place; the C forms {@link
 * #read()} and {@link #readError} keep them apart.
 */
public interface EventQueue extends FabricObject {
  /** {@return the fabric that the queue belongs to} */
  Fabric fabric();

  /**
   * How many events wait, and how many there were since the queue was opened. Waits for nobody, and
   * drives no progress.
   *
   * @return the numbers of now
   */
  QueueStatistics statistics();

  /**
   * Delivers events, failures among them, until none is left or the limit is reached.
   *
   * @param handler takes each event
   * @param limit the most events to deliver, at least 1
   * @return how many were delivered
   */
  int poll(Consumer<? super Event> handler, int limit);

  /**
   * {@code fi_eq_read}: takes the next event.
   *
   * @return the event, or null when there is none ({@code -FI_EAGAIN})
   * @throws FabricException with {@link Errno#EAVAIL} if the next one is a failure: take it with
   *     {@link #readError}; with {@link Errno#EOVERRUN} if events were lost because the queue was
   *     full
   */
  @Nullable Event read();

  /**
   * {@code fi_eq_sread}: takes the next event and waits for it.
   *
   * @param timeout how long to wait; negative waits without end
   * @return the event, or null when the time was up or the queue was closed
   * @throws FabricException as {@link #read()}
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  @Nullable Event read(Duration timeout) throws InterruptedException;

  /**
   * {@code FI_WAIT_FD} in another form: runs a callback once when there is something to read, as
   * {@link CompletionQueue#whenReady} does, with the same rules for the callback. That events were
   * lost is something to read.
   *
   * @param callback what tells the event loop
   * @throws FabricException with {@link Errno#ENOSYS} if something with {@link Progress#MANUAL} is
   *     bound to the queue, which moves only when it is read
   */
  void whenReady(Runnable callback);

  /**
   * {@code fi_eq_read} with {@code FI_PEEK}: looks at the next event and leaves it there.
   *
   * @return the event, or null when there is none
   * @throws FabricException with {@link Errno#EAVAIL} if the next one is a failure; with {@link
   *     Errno#EOVERRUN} if events were lost here, of which {@link #read()} still tells then
   */
  @Nullable Event peek();

  /**
   * {@code fi_eq_readerr}: takes the next event if it is a failure. Never waits.
   *
   * @return the failure, or null when the next event is none
   */
  Event.@Nullable Failure readError();
}
