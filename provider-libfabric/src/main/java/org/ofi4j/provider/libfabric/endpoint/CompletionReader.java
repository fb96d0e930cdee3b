// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeQueue;
import org.ofi4j.provider.libfabric.library.Offsets;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.memory.OwnedMemory;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * Reads one of libfabric's completion queues, and has the endpoints report what is in it. It is the
 * reader of all endpoints that report to one queue of the application, or of one endpoint alone. It
 * reads nothing while that queue is full, so that few completions are kept here.
 *
 * <p>The lock of the domain guards all.
 *
 * <pre>
 *   scratch:  0 struct fi_cq_tagged_entry (48 each) | sources (8 each) | struct fi_cq_err_entry
 * </pre>
 */
final class CompletionReader extends QueueReader<NativeQueue> {
  /** An endpoint that is bound to the queue. All calls are made with the lock held. */
  interface Endpoint {
    /** Libfabric is about to move data. */
    void beforeMove();

    /** Returns whether completions found space: else the queue is not read. */
    boolean hasRoom();

    /** Posts what waits, reports what found no space, and counts what peers did to memory here. */
    void progress();

    /**
     * Returns whether it has to be looked at before long, whatever is in the queue: something waits
     * to be posted, or there are counters of libfabric's, of which no queue tells.
     */
    boolean isDue();

    /**
     * A peer has written to memory here, with data.
     *
     * @return false if the entry does not say that, or the endpoint does not receive
     */
    boolean writtenTo(long entry);
  }

  /** How long to wait while an endpoint has to be looked at before long. */
  private static final long DUE_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int BATCH = 16;
  private static final long ENTRY = 48;
  private static final long SOURCES = BATCH * ENTRY;
  private static final long ERROR = SOURCES + BATCH * Long.BYTES;

  private final DomainResources domain;
  private final OwnedMemory owned = new OwnedMemory();
  private final long scratch = owned.allocate(ERROR + Offsets.ROOM, Long.BYTES).address();

  // Changed with the lock, read without it too. An array, because each read of the queue goes
  // through it.
  private volatile Endpoint[] endpoints = {};

  /** The turn of the domain in which the queue was last seen empty. */
  private long emptied;

  // Read without the lock too.
  private volatile boolean waitable;

  /** Operations of closed endpoints, of which there may be entries in the queue. */
  private final List<NativeOperation> kept = new ArrayList<>();

  /**
   * Opens a queue of libfabric's.
   *
   * @param on the libfabric domain to open it on
   * @param entries how many entries it holds at least
   */
  CompletionReader(DomainResources domain, NativeDomain on, long entries) {
    super(domain.locked, open(domain, on, entries));
    this.domain = domain;
    waitable = domain.hasDescriptors;
  }

  private static NativeQueue open(DomainResources domain, NativeDomain on, long entries) {
    try (var _ = domain.lock()) {
      return new NativeQueue(on, entries, domain.hasDescriptors);
    }
  }

  NativeQueue queue() {
    return queue;
  }

  /** An endpoint is bound to the queue. */
  void join(Endpoint endpoint) {
    try (var _ = domain.lock()) {
      if (endpoints.length == 0) {
        emptied = 0;
        domain.readers.add(this);
      }
      Endpoint[] more = Arrays.copyOf(endpoints, endpoints.length + 1);
      more[endpoints.length] = endpoint;
      endpoints = more;
    }
  }

  /** An endpoint is closed; with the lock of the domain held. */
  void part(Endpoint endpoint) {
    endpoints =
        Arrays.stream(endpoints).filter(each -> !each.equals(endpoint)).toArray(Endpoint[]::new);
    if (endpoints.length == 0) {
      domain.readers.remove(this);
    }
    waitable &= !domain.remembersClosed;
  }

  /** Returns the turn of the domain in which the queue was last seen empty; 0 for never. */
  long emptied() {
    return emptied;
  }

  /** Also has posted what waits for that. */
  @Override
  protected boolean read() {
    boolean moved = false;
    int count = BATCH;
    while (count == BATCH && hasRoom()) {
      count = readBatch();
      moved |= count > 0;
    }
    for (Endpoint each : endpoints) {
      each.progress();
    }
    return moved;
  }

  /** Reads a batch at most; returns how many entries there were. */
  private int readBatch() {
    if (domain.hasRegions) {
      for (Endpoint each : endpoints) {
        each.beforeMove();
      }
    }
    boolean sources = domain.reportsSources;
    int count =
        sources ? queue.readFrom(scratch, BATCH, scratch + SOURCES) : queue.read(scratch, BATCH);
    if (count == Constants.TRY_AGAIN) {
      emptied = domain.turn();
      giveBackKept();
      return 0;
    }
    if (count == Constants.ERROR_AVAILABLE) {
      return readError() ? BATCH : 0;
    }
    if (count < 0) {
      throw queue.failed(count);
    }
    for (int i = 0; i < count; i++) {
      completed(
          scratch + i * ENTRY, sources ? RawMemory.getLong(scratch + SOURCES + 8L * i) : Peer.NONE);
    }
    return count;
  }

  @Override
  public boolean hasRoom() {
    for (Endpoint each : endpoints) {
      if (!each.hasRoom()) {
        return false;
      }
    }
    return true;
  }

  /** Keeps an operation of a closed endpoint from being used again too early. */
  void keepUntilEmpty(NativeOperation operation) {
    kept.add(operation);
  }

  private void giveBackKept() {
    if (!kept.isEmpty()) {
      kept.forEach(domain.contexts::giveBack);
      kept.clear();
    }
  }

  private void completed(long entry, long source) {
    NativeOperation operation =
        domain.contexts.owner(RawMemory.getLong(entry + Offsets.CQ_ENTRY_OP_CONTEXT));
    if (operation == null) {
      // A peer has written with immediate data: no operation of this process has ended.
      for (Endpoint each : endpoints) {
        if (each.writtenTo(entry)) {
          return;
        }
      }
    } else if (operation.owner != null) {
      operation.owner.succeeded(operation, entry, source);
    }
    // Else it belongs to an endpoint that was closed.
  }

  private boolean readError() {
    long entry = scratch + ERROR;
    for (long at = entry; at < entry + Offsets.ROOM; at += Long.BYTES) {
      RawMemory.putLong(at, 0);
    }
    if (queue.readError(entry) != 1) {
      return false;
    }
    NativeOperation operation =
        domain.contexts.owner(RawMemory.getLong(entry + Offsets.CQ_ERROR_OP_CONTEXT));
    if (operation != null && operation.owner != null) {
      int providerErrno = RawMemory.getInt(entry + Offsets.CQ_ERROR_PROV_ERRNO);
      long data = RawMemory.getLong(entry + Offsets.CQ_ERROR_ERR_DATA);
      operation.owner.failed(operation, entry, queue.describe(providerErrno, data));
    }
    return true;
  }

  @Override
  public long patience() {
    for (Endpoint each : endpoints) {
      if (each.isDue()) {
        return DUE_PAUSE;
      }
    }
    return NO_LIMIT;
  }

  @Override
  protected boolean isWaitable() {
    return waitable;
  }

  @Override
  protected void closed() {
    giveBackKept();
    owned.close();
  }
}
