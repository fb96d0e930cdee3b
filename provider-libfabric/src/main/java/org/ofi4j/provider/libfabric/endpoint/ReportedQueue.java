// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.libfabric.progress.QueueBackend;

/**
 * A completion queue of the application as its readers see it: those of all endpoints that report
 * to it share the space that they have claimed. Without a queue, counters alone hear of what ends.
 * The lock of the domain guards all.
 */
public final class ReportedQueue implements QueueBackend {
  /** How much space is claimed at a time. */
  static final int BATCH = 16;

  private final long size;

  // Set once, before anybody reads.
  private @Nullable CoreCompletionQueue queue;

  // Null while each endpoint has a reader of its own.
  private @Nullable CompletionReader reader;

  /** Space in the queue that is claimed and not used. */
  private int claimed;

  /** Whether something was reported that waiting threads were not notified of. */
  private boolean added;

  /**
   * Creates the backend of a queue that is about to be opened.
   *
   * @param size how many entries a queue of libfabric holds for it at least
   */
  public ReportedQueue(long size) {
    this.size = size;
  }

  /** Opens the reader of all endpoints that report to the queue, unless each has its own. */
  public void openReader(DomainResources domain) {
    if (!domain.domains().areIsolated()) {
      reader = new CompletionReader(domain, domain.domains().first(), this);
    }
  }

  /** Names the queue that is reported to. */
  public void reportTo(CoreCompletionQueue ours) {
    queue = ours;
  }

  /** Returns the reader of all endpoints; null if each has its own. */
  @Nullable CompletionReader reader() {
    return reader;
  }

  long size() {
    return size;
  }

  /** Claims space for a batch, unless some is left; returns how much there is. */
  int claim() {
    CoreCompletionQueue ours = queue;
    if (ours == null) {
      return BATCH;
    }
    // A batch when there is none left, and not one for each that is used.
    if (claimed == 0) {
      claimed = ours.reserve(BATCH);
    }
    return claimed;
  }

  /** Reports a success, in claimed space. */
  void report(@Nullable Object context, long flags, long length, long data, long tag, long source) {
    CoreCompletionQueue ours = queue;
    if (ours != null) {
      claimed--;
      ours.add(context, flags, length, data, tag, source);
      added = true;
    }
  }

  /** Reports a failure, in claimed space. */
  void report(Completion.Failure failure) {
    CoreCompletionQueue ours = queue;
    if (ours != null) {
      claimed--;
      ours.add(failure);
      added = true;
    }
  }

  /** Returns whether something was reported since the last call. */
  boolean takeAdded() {
    boolean some = added;
    added = false;
    return some;
  }

  /** Notifies threads that wait; without the lock, because it may run code of the application. */
  void notifyReaders() {
    CoreCompletionQueue ours = queue;
    if (ours != null) {
      ours.tellReaders();
    }
  }

  @Override
  public void close() {
    if (reader != null) {
      reader.close();
    }
  }
}
