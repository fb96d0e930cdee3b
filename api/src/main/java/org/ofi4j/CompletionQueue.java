// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code struct fid_cq}, fi_cq(3): reports which sends and receives have ended.
 *
 * <p>Any number of threads may read; each completion goes to one of them. With {@link
 * Progress#MANUAL} reading is what moves the data of the endpoints bound to the queue. {@link
 * #close} is refused while endpoints are bound; closing the last of them and then the queue wakes
 * readers that wait.
 *
 * <p>Completions are in one order. {@link #poll} and {@link #read(Duration)} deliver failures in
 * their place; {@link #take} returns successes and throws failures and timeouts; the C forms {@link
 * #read()} and {@link #readError} keep them apart.
 */
public interface CompletionQueue extends FabricObject {
  /** {@return the domain that the queue belongs to} */
  Domain domain();

  /**
   * How many completions wait, and how many there were since the queue was opened. Waits for
   * nobody, and drives no progress.
   *
   * @return the numbers of now
   */
  QueueStatistics statistics();

  /**
   * Drives progress and delivers completions until none is left or the limit is reached. Allocates
   * nothing for successes. With a limit of 0 it drives progress and delivers nothing, as {@code
   * fi_cq_read} with a count of 0.
   *
   * @param handler takes each completion; if it throws, that one counts as delivered
   * @param limit the most completions to deliver, at least 0
   * @return how many were delivered
   */
  int poll(CompletionHandler handler, int limit);

  /**
   * As {@link #poll(CompletionHandler, int)}, but waits for the first completion. With a limit of 0
   * that one stays in the queue.
   *
   * @param handler takes each completion
   * @param limit the most completions to deliver, at least 0
   * @param timeout how long to wait; negative waits without end
   * @return how many were delivered; 0 when the time was up or the queue was closed
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  int poll(CompletionHandler handler, int limit, Duration timeout) throws InterruptedException;

  /**
   * {@code FI_WAIT_FD} in another form: runs a callback once when there is something to read; at
   * once if there is something now. So an event loop need not wait in {@link #read(Duration)}: it
   * drains the queue when it is told, and asks to be told again. A callback takes the place of one
   * that has not been run; closing the queue drops it.
   *
   * <p>The callback runs on the thread that reports the completion, without locks of the endpoint:
   * a thread of the provider, a thread that posts or cancels, or the caller of this method. The
   * callback must do no more than hand over to another thread, as other data waits for this one.
   *
   * {@snippet class="examples.Queues" region="ready"}
   *
   * @param callback what tells the event loop; what it throws goes to the thread's handler of
   *     uncaught exceptions, at that place
   * @throws FabricException with {@link Errno#ENOSYS} with {@link Progress#MANUAL}, where nothing
   *     happens but by reading; {@link Errno#EIO} if the thread that moves the data has died
   */
  void whenReady(Runnable callback);

  /**
   * {@code fi_cq_readfrom}: drives progress and takes the next completion.
   *
   * @return the completion, or null when there is none ({@code -FI_EAGAIN})
   * @throws FabricException with {@link Errno#EAVAIL} if the next one is a failure: take it with
   *     {@link #readError}
   */
  Completion.@Nullable Success read();

  /**
   * {@code fi_cq_sreadfrom} and {@code fi_cq_readerr}: takes the next completion, whether it is a
   * success or a failure, and waits for it.
   *
   * {@snippet class="examples.Queues" region="read"}
   *
   * @param timeout how long to wait; negative waits without end
   * @return the completion, or null when the time was up or the queue was closed
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  @Nullable Completion read(Duration timeout) throws InterruptedException;

  /**
   * Takes the next completion and waits for it: returns a success, and throws in all other cases.
   * So a caller can mistake neither a failure nor a timeout for a success. Failures and timeouts
   * are different exceptions, even if the errno of the failure is {@link Errno#ETIMEDOUT}.
   *
   * {@snippet class="examples.Queues" region="take"}
   *
   * <p>Any number of threads may wait. After a timeout the queue is unchanged, and the operation
   * may still end: its completion then is the next one. Closing the queue ends the wait.
   *
   * @param timeout how long to wait; 0 does not wait, but drives progress; negative waits without
   *     end
   * @return the success
   * @throws OperationFailedException if the next completion is a failure, which is taken; with the
   *     errno of the failure
   * @throws FabricException with {@link Errno#ETIMEDOUT} if no operation ended in time; with {@link
   *     Errno#EINVAL} if the queue is closed, before the call or during the wait
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  default Completion.Success take(Duration timeout) throws InterruptedException {
    return switch (read(timeout)) {
      case Completion.Success success -> success;
      case Completion.Failure failure -> throw new OperationFailedException(failure);
      case null -> {
        if (!isOpen()) {
          throw new FabricException(
              Errno.EINVAL, "the queue was closed while the call waited for a completion");
        }
        throw new FabricException(
            Errno.ETIMEDOUT,
            ("no operation has ended within %s: wait longer, or check that the peer is there and"
                    + " receives, that it reads its queue if it has manual progress, and that no"
                    + " message was lost")
                .formatted(timeout));
      }
    };
  }

  /**
   * {@code fi_cq_readerr}: takes the next completion if it is a failure. Never waits.
   *
   * @return the failure, or null when the next completion is none
   */
  Completion.@Nullable Failure readError();
}
