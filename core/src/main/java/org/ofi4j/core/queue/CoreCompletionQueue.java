// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Domain;
import org.ofi4j.Progress;
import org.ofi4j.QueueStatistics;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.spi.ProgressEngine;

/**
 * The completion queue of every provider.
 *
 * <p>Bounded: an endpoint {@linkplain #reserve claims room} before it carries an operation out, and
 * leaves the operation undone while there is none. So a full queue holds traffic back instead of
 * losing completions.
 *
 * <p>Completions of the polling thread itself reach its handler without the ring ({@link
 * PolledBatch}). Reading and adding take no lock. Threads that wait stand in line for the turn to
 * sleep in the {@link ProgressEngine}, and each that leaves with a completion lets the next one
 * look.
 */
public final class CoreCompletionQueue extends DrivenObject implements CompletionQueue {
  /** The most completions that a queue may be asked to hold. */
  public static final int MAX_SIZE = 1 << 20;

  private final boolean withMessage;
  private final boolean withData;
  private final boolean withTag;
  private final CompletionRing ring;
  private final PolledBatch batch;
  private volatile boolean roomWanted;

  /** What is to be run once when there is something to read. */
  private final ReadyCallback callback = new ReadyCallback();

  // A failure was added since it was last looked. It may say that no message has come yet, and is
  // read by someone who is going to ask again.
  private volatile boolean failed;

  /**
   * Opens a queue.
   *
   * @param domainLifetime keeps the domain open as long as the queue is
   * @param engine what moves the data of endpoints bound to the queue; closed with the queue
   */
  public CoreCompletionQueue(
      Domain domain,
      Lifetime domainLifetime,
      CompletionQueueOptions options,
      ProgressEngine engine) {
    this(domain, domainLifetime, options, engine, new CompletionRing(checkedSize(options)));
  }

  CoreCompletionQueue(
      Domain domain,
      Lifetime domainLifetime,
      CompletionQueueOptions options,
      ProgressEngine engine,
      CompletionRing ring) {
    super(domain, domainLifetime, options.context(), engine);
    int number = options.format().number();
    boolean isAny = options.format() == CompletionFormat.UNSPECIFIED;
    withMessage = isAny || number >= CompletionFormat.MSG.number();
    withData = isAny || number >= CompletionFormat.DATA.number();
    withTag = isAny || number >= CompletionFormat.TAGGED.number();
    this.ring = ring;
    batch = new PolledBatch(ring);
  }

  private static int checkedSize(CompletionQueueOptions options) {
    int size = options.size();
    if (size > MAX_SIZE) {
      throw invalid(
          ("completion queue size %s is more than %s, the limit: ask for less, or open several"
                  + " queues")
              .formatted(size, MAX_SIZE));
    }
    return size == 0 ? CompletionQueueOptions.DEFAULT_SIZE : size;
  }

  /**
   * Claims room for the completion of an operation that is about to be carried out. What is claimed
   * must be used by {@code add}.
   *
   * @return false if the queue is full; the engine hears when that has changed
   */
  public boolean reserve() {
    if (batch.takes() || ring.reserve(1) > 0) {
      return true;
    }
    // A reader that makes room now either sees the wish or has made the room that is seen here. The
    // wish is left even then: it may be another thread's by now.
    roomWanted = true;
    return ring.reserve(1) > 0;
  }

  /** Whether there is room to claim. If not, the engine hears when that has changed. */
  public boolean hasRoom() {
    if (batch.takes() || ring.hasRoom()) {
      return true;
    }
    roomWanted = true;
    return ring.hasRoom();
  }

  /**
   * Adds a success, in claimed room. The caller calls {@link #wakeReaders} when it has released its
   * locks.
   *
   * @param flags bits of {@link org.ofi4j.CompletionFlag}
   * @param length bytes received
   * @param data immediate data
   * @param source the sender's handle or user id
   * @return false if the calling thread polls the queue and gets the completion itself, so that no
   *     other reader has to be woken
   */
  public boolean add(
      @Nullable Object context, long flags, long length, long data, long tag, long source) {
    long shownFlags = withMessage ? flags : 0;
    long shownLength = withMessage ? length : 0;
    long shownData = withData ? data : 0;
    long shownTag = withTag ? tag : 0;
    if (batch.takes() && batch.add(context, shownFlags, shownLength, shownData, shownTag, source)) {
      return false;
    }
    ring.add(context, shownFlags, shownLength, shownData, shownTag, source);
    return true;
  }

  /**
   * Adds a failure, in claimed room, without waking readers.
   *
   * @return false if the calling thread gets it itself, as for a success
   */
  public boolean add(Completion.Failure failure) {
    if (batch.takes() && batch.add(failure)) {
      return false;
    }
    ring.add(failure);
    failed = true;
    return true;
  }

  /**
   * Lets a reader that waits look at the engine again, because what it waits for has changed. May
   * run the callback of {@link #whenReady}: the caller holds no lock that the callback may want.
   */
  public void wakeReaders() {
    // Between what was just added and the look at the waiting; a reader counts itself among them
    // before it looks for what was added.
    VarHandle.fullFence();
    wake();
    tellReady();
  }

  @Override
  public void whenReady(Runnable wanted) {
    lifetime.checkOpen();
    required(wanted, "callback");
    if (domain().info().domain().progress() != Progress.AUTO) {
      throw unsupported(
          this + " has manual progress, and nothing happens but by reading: ask for progress AUTO");
    }
    callback.want(wanted);
    // Fails if the thread that moves the data has died: nobody would be told.
    engine.progress();
    // Written first, then looked: see wakeReaders.
    VarHandle.fullFence();
    if (!ring.isEmpty()) {
      tellReady();
    }
  }

  private void tellReady() {
    if (callback.isWanted() && isOpen()) {
      callback.tell();
    }
  }

  @Override
  public QueueStatistics statistics() {
    lifetime.checkOpen();
    return ring.statistics(batch.passed());
  }

  @Override
  public int poll(CompletionHandler handler, int limit) {
    check(handler, limit);
    return take(handler, limit, false);
  }

  @Override
  public int poll(CompletionHandler handler, int limit, Duration timeout)
      throws InterruptedException {
    check(handler, limit);
    long deadline = Waiting.deadlineIfAny(timeout);
    boolean waits = limit > 0 && !timeout.isZero();
    while (true) {
      int taken = take(handler, limit, waits);
      // With a limit of 0 what has arrived stays.
      boolean arrived = limit == 0 ? !ring.isEmpty() : taken > 0;
      if (arrived || !waitUntil(deadline, ring::isEmpty)) {
        return taken;
      }
      waits = false;
    }
  }

  @Override
  public Completion.@Nullable Success read() {
    lifetime.checkOpen();
    return take(Completion.Success.class, false);
  }

  @Override
  public @Nullable Completion read(Duration timeout) throws InterruptedException {
    lifetime.checkOpen();
    long deadline = Waiting.deadlineIfAny(timeout);
    boolean waits = !timeout.isZero();
    while (true) {
      Completion next = take(Completion.class, waits);
      if (next != null || !waitUntil(deadline, ring::isEmpty)) {
        return next;
      }
      waits = false;
    }
  }

  @Override
  public Completion.@Nullable Failure readError() {
    lifetime.checkOpen();
    spill();
    progressIfDue();
    Completion.Failure failure = ring.take(Completion.Failure.class);
    if (failure != null) {
      tellRoom();
    }
    return failure;
  }

  /**
   * Delivers completions, and makes progress if there are too few.
   *
   * @param waits whether the caller waits next if there is none
   */
  private int take(CompletionHandler handler, int limit, boolean waits) {
    spill();
    int taken = 0;
    if (!ring.isEmpty()) {
      progressIfDue();
      taken = drain(handler, limit);
    }
    if (taken < limit && batch.begin(limit - taken)) {
      taken += progress(handler, waits && taken == 0);
    } else if (taken < limit || limit == 0) {
      engine.progress(waits && taken == 0);
    }
    return taken + drain(handler, limit - taken);
  }

  /** Makes progress with the batch, and delivers the completions that this thread reports. */
  private int progress(CompletionHandler handler, boolean waits) {
    try {
      engine.progress(waits);
      return batch.deliver(handler);
    } finally {
      if (batch.end()) {
        wakeReaders();
      }
      tellRoom();
    }
  }

  /** Has the ring get the completions of a poll of this thread that is under way. */
  private void spill() {
    if (batch.spill()) {
      wakeReaders();
    }
  }

  /** Makes progress although a read finds something without it, if there was none for long. */
  private void progressIfDue() {
    boolean atOnce = failed;
    if (atOnce) {
      failed = false;
    }
    engine.progressIfDue(atOnce);
  }

  private int drain(CompletionHandler handler, int limit) {
    int taken = 0;
    try {
      while (taken < limit && ring.deliver(handler)) {
        taken++;
      }
    } finally {
      // Also when the handler throws: its completion has made room.
      tellRoom();
    }
    return taken;
  }

  /**
   * Takes the next completion if it is of a kind, and makes progress if there is none.
   *
   * @param waits whether the caller waits next if there is none
   */
  private <C extends Completion> @Nullable C take(Class<C> kind, boolean waits) {
    spill();
    if (!ring.isEmpty()) {
      progressIfDue();
    }
    C next = ring.take(kind);
    if (next == null) {
      engine.progress(waits);
      next = ring.take(kind);
    }
    if (next != null) {
      tellRoom();
    }
    return next;
  }

  private void tellRoom() {
    if (roomWanted) {
      roomWanted = false;
      engine.roomAgain();
    }
  }

  @Override
  protected void release() {
    callback.drop();
    super.release();
  }

  private void check(@Nullable CompletionHandler handler, int limit) {
    required(handler, "handler");
    if (limit < 0) {
      throw invalid(
          "limit " + limit + " is negative: give 0 for progress alone, or how many to deliver");
    }
    lifetime.checkOpen();
  }

  @Override
  public String toString() {
    return "completion queue (" + ring.size() + " entries)";
  }
}
