// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.AttributeStructs;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeQueue;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.library.TransferStructs.Entry;
import org.ofi4j.provider.libfabric.library.TransferStructs.ErrorEntry;
import org.ofi4j.provider.libfabric.memory.OwnedMemory;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * Reads one of libfabric's completion queues, and has what is in it reported. Entries that were
 * read cannot be put back: so there is room for as many in our queue before they are read. It is
 * the reader of all endpoints that report to our queue, or of one endpoint alone.
 *
 * <p>The lock of the domain guards all.
 *
 * <pre>
 *   scratch:  0 struct fi_cq_tagged_entry (48 each) | sources (8 each) | struct fi_cq_err_entry
 * </pre>
 */
public final class CompletionReader implements QueueReader {
  /** How long to wait while an endpoint has to be looked at before long. */
  private static final long DUE_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int BATCH = ReportedQueue.BATCH;
  private static final long ENTRY = 48;
  private static final long SOURCES = BATCH * ENTRY;
  private static final long ERROR = SOURCES + BATCH * Long.BYTES;

  private final DomainResources domain;
  private final OwnedMemory owned = new OwnedMemory();
  private final long scratch = owned.allocate(ERROR + AttributeStructs.ROOM, Long.BYTES).address();
  private final NativeQueue queue;
  private final List<OperationOwner> users = new ArrayList<>();

  // Changed with the lock, read without it too. An array, because each read of the queue goes
  // through it.
  private volatile OperationOwner[] transmitting = {};

  private ReportedQueue reported;

  private boolean open = true;

  /** When the queue was seen empty, as long as endpoints report to it. */
  private OpenReaders.@Nullable Emptied emptied;

  // Read without the lock too.
  private volatile boolean waitable;

  /** What libfabric says nothing of, and is reported behind the next look. */
  private final ArrayDeque<Ended> ended = new ArrayDeque<>();

  // Whether there is any. Changed with the lock, read without it too.
  private volatile boolean hasEnded;

  /** Operations of closed endpoints, of which there may be entries in the queue. */
  private final List<Operation> kept = new ArrayList<>();

  /** An operation that is over, and what is reported of it. */
  private record Ended(Operation operation, OperationOwner owner, FabricException reason) {}

  /**
   * Opens a queue of libfabric's.
   *
   * @param on the libfabric domain to open it on
   * @param reported the queue that it reports to
   */
  CompletionReader(DomainResources domain, NativeDomain on, ReportedQueue reported) {
    this.domain = domain;
    this.reported = reported;
    waitable = domain.hasDescriptors();
    domain.lock().lock();
    try {
      queue = on.openQueue(reported.size(), domain.hasDescriptors());
    } catch (FabricException refused) {
      owned.close();
      throw refused;
    } finally {
      domain.lock().unlock();
    }
  }

  /** Returns the queue that is reported to. */
  ReportedQueue reported() {
    return reported;
  }

  @Override
  public LockedFabric locked() {
    return domain.locked();
  }

  @Override
  public NativeQueue queue() {
    return queue;
  }

  /**
   * An endpoint is bound to the queue.
   *
   * @param transmits whether it {@linkplain OperationOwner#retry posts again} behind each look
   */
  void join(OperationOwner user, boolean transmits) {
    domain.lock().lock();
    try {
      if (users.isEmpty()) {
        emptied = domain.readers().add(this);
      }
      users.add(user);
      if (transmits) {
        OperationOwner[] more = Arrays.copyOf(transmitting, transmitting.length + 1);
        more[more.length - 1] = user;
        transmitting = more;
      }
    } finally {
      domain.lock().unlock();
    }
  }

  /** Reports nothing more: the one endpoint of the reader is being closed. */
  void discard() {
    reported = new ReportedQueue(0);
  }

  /** An endpoint is closed; with the lock of the domain held. */
  void part(OperationOwner user) {
    transmitting =
        Arrays.stream(transmitting)
            .filter(each -> !each.equals(user))
            .toArray(OperationOwner[]::new);
    if (users.remove(user) && users.isEmpty() && emptied != null) {
      domain.readers().remove(emptied);
      emptied = null;
    }
    ended.removeIf(each -> user.equals(each.owner));
    waitable &= !domain.remembersClosed();
  }

  /** Has the end of an operation reported that libfabric does not have, with the next look. */
  void end(Operation operation, FabricException reason) {
    ended.addLast(new Ended(operation, Objects.requireNonNull(operation.owner), reason));
    hasEnded = true;
  }

  /** Also has posted what waits for that. */
  @Override
  public boolean move() {
    if (!domain.lock().tryLock()) {
      return false;
    }
    boolean moved;
    boolean told;
    try {
      moved = open && moveLocked();
      told = reported.takeAdded();
    } finally {
      domain.lock().unlock();
    }
    if (told) {
      reported.notifyReaders();
    }
    return moved;
  }

  private boolean moveLocked() {
    boolean moved = false;
    int count;
    do {
      count = readBatch();
      moved |= count > 0;
    } while (count == BATCH);
    for (OperationOwner each : transmitting) {
      each.retry();
    }
    return (hasEnded && reportEnded()) || moved;
  }

  /** Reports what has ended, as far as there is room; whether there was something. */
  private boolean reportEnded() {
    boolean some = false;
    while (!ended.isEmpty() && hasRoom()) {
      Ended each = ended.removeFirst();
      // It may have been given back meanwhile, and taken by another endpoint.
      if (each.owner.equals(each.operation.owner)) {
        each.owner.ended(each.operation, each.reason);
      }
      some = true;
    }
    hasEnded = !ended.isEmpty();
    return some;
  }

  /** Reads as much as there is room for; how many entries there were. */
  private int readBatch() {
    int room = reported.claim();
    if (room == 0) {
      return 0;
    }
    if (domain.hasRegions()) {
      users.forEach(OperationOwner::beforeMove);
    }
    int count =
        domain.reportsSources()
            ? queue.readFrom(scratch, room, scratch + SOURCES)
            : queue.read(scratch, room);
    if (count == Constants.TRY_AGAIN) {
      if (emptied != null) {
        domain.readers().empty(emptied);
      }
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
          scratch + i * ENTRY,
          domain.reportsSources() ? RawMemory.getLong(scratch + SOURCES + 8L * i) : Peer.NONE);
    }
    return count;
  }

  /** The room is claimed then. */
  @Override
  public boolean hasRoom() {
    return reported.claim() > 0;
  }

  /** Keeps an operation of a closed endpoint from being used again too early. */
  void keepUntilEmpty(Operation operation) {
    kept.add(operation);
  }

  private void giveBackKept() {
    if (!kept.isEmpty()) {
      kept.forEach(domain.contexts()::giveBack);
      kept.clear();
    }
  }

  private void completed(long entry, long source) {
    Operation operation = domain.contexts().owner(RawMemory.getLong(entry + Entry.OP_CONTEXT));
    if (operation == null) {
      // What a peer has written with data for us, which is no operation of ours.
      for (OperationOwner each : users) {
        if (each.writtenTo(entry)) {
          return;
        }
      }
    } else if (operation.owner != null) {
      operation.owner.succeeded(operation, entry, source);
    }
    // Else it belongs to an endpoint that was closed meanwhile.
  }

  private boolean readError() {
    long entry = scratch + ERROR;
    for (long at = entry; at < entry + AttributeStructs.ROOM; at += Long.BYTES) {
      RawMemory.putLong(at, 0);
    }
    if (queue.readError(entry) != 1) {
      return false;
    }
    Operation operation = domain.contexts().owner(RawMemory.getLong(entry + ErrorEntry.OP_CONTEXT));
    if (operation != null && operation.owner != null) {
      int providerErrno = RawMemory.getInt(entry + ErrorEntry.PROV_ERRNO);
      long data = RawMemory.getLong(entry + ErrorEntry.ERR_DATA);
      operation.owner.failed(operation, entry, queue.describe(providerErrno, data));
    }
    return true;
  }

  @Override
  public long patience() {
    if (hasEnded) {
      return DUE_PAUSE;
    }
    for (OperationOwner each : transmitting) {
      if (each.isDue()) {
        return DUE_PAUSE;
      }
    }
    return NO_LIMIT;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isWaitable() {
    return waitable;
  }

  @Override
  public void close() {
    domain.lock().lock();
    try {
      open = false;
      queue.close();
      giveBackKept();
      owned.close();
    } finally {
      domain.lock().unlock();
    }
  }
}
