// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Tally;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.OpenEndpoint;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/**
 * An endpoint of libfabric from being opened until it is closed, and the operations that are under
 * way on it. An operation is posted at once if libfabric takes it; while it does not, the operation
 * waits in the {@link Backlog}, and those to the same peer behind it.
 *
 * <p>The lock of the domain guards all.
 */
class NativeTraffic implements OpenEndpoint, OperationOwner {
  /** How often queues are read before an endpoint is closed whose memory is in use. */
  private static final int LAST_READS = 1_000;

  final DomainResources domain;
  final NativeEndpoint endpoint;
  private final FabricAddress name;
  final Poster poster;
  final Destinations peers;
  private final OperationMemory memory;
  final Claims claims = new Claims(this);
  final Withdrawals withdrawals;
  final SeveralMessages several;
  final EndpointBindings bindings;
  private final EndpointSizes sizes;
  final Outcomes outcomes;

  final Backlog backlog = new Backlog();
  private final Tally outstandingTransmits = new Tally();
  private final Tally outstandingReceives = new Tally();
  private long taken;
  private boolean closed;
  private final @Nullable GonePeers gone;

  /** The region of the endpoint in shared memory; null over other providers. */
  private final @Nullable EndpointRegion region;

  NativeTraffic(
      DomainResources domain,
      NativeEndpoint endpoint,
      FabricAddress name,
      Destinations peers,
      Counters counters,
      EndpointBindings bindings,
      EndpointSizes sizes) {
    this.domain = domain;
    this.endpoint = endpoint;
    this.name = name;
    this.peers = peers;
    this.bindings = bindings;
    this.sizes = sizes;
    outcomes = new Outcomes(this, domain, peers, counters, bindings);
    poster = new Poster(endpoint, domain.discardSink(), sizes.maxMessage());
    several = new SeveralMessages(this, sizes.minMultiReceive());
    withdrawals = new Withdrawals(poster, several, bindings);
    memory = new OperationMemory(domain, endpoint);
    Path file = domain.hasRegions() ? PeerFile.of(name.toBytes()) : null;
    region = file == null ? null : new EndpointRegion(file, name.toBytes(), domain.library());
    gone = region == null ? null : new GonePeers(this, domain, region.slots());
  }

  @Override
  public FabricAddress name() {
    return name;
  }

  EndpointSizes sizes() {
    return sizes;
  }

  /** The process exits; returns whether the file of the endpoint may be deleted. */
  boolean prepareExit() {
    return region == null || region.prepareExit();
  }

  /** What operations read from and write to. */
  OperationMemory memory() {
    return memory;
  }

  long outstandingTransmits() {
    return outstandingTransmits.get();
  }

  long outstandingReceives() {
    return outstandingReceives.get();
  }

  /** From now on its data is moved. */
  void join() {
    bindings.eachReader(reader ->
        reader.join(this, bindings.transmits() == null || reader.equals(bindings.transmits())));
    bindings.engines().forEach(engine -> bindings.eachReader(engine::add));
  }

  // Posting.

  /** The lock under which operations are taken and posted. */
  void lock() {
    domain.lock().lock();
    if (closed) {
      domain.lock().unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
  }

  void unlock() {
    domain.lock().unlock();
  }

  /**
   * Takes an operation towards a peer.
   *
   * @return null if all are under way
   */
  @Nullable Operation takeTransmit(CounterFlag what, long handle) {
    Peer peer = peers.peer(handle);
    if (outstandingTransmits.get() >= sizes.transmits()) {
      return null;
    }
    Operation operation = take(what);
    operation.peer = peer;
    peer.outstanding++;
    outstandingTransmits.add(1);
    return operation;
  }

  boolean isFullOfReceives() {
    return outstandingReceives.get() >= sizes.receives();
  }

  /** Takes a receive; null if all are posted. */
  @Nullable Operation takeReceive() {
    if (isFullOfReceives()) {
      return null;
    }
    outstandingReceives.add(1);
    return take(CounterFlag.RECEIVE);
  }

  void countReceives(int more) {
    outstandingReceives.add(more);
  }

  private Operation take(CounterFlag what) {
    Operation operation = domain.contexts().take();
    operation.owner = this;
    operation.what = what;
    number(operation);
    return operation;
  }

  /** Puts an operation behind all others in the order of posting. */
  void number(Operation operation) {
    operation.number = taken++;
  }

  /**
   * Posts a transmit that is filled in, or has it wait.
   *
   * @throws FabricException if libfabric refuses it; then it was never posted
   */
  void postTransmit(Operation operation) {
    Peer peer = operation.peer;
    if (peer == null) {
      throw new IllegalStateException("an operation without a peer");
    }
    int errno = Constants.TRY_AGAIN;
    if (!backlog.has(peer)) {
      try {
        errno = attempt(operation, peer);
      } catch (FabricException refused) {
        CompletionReader reader = bindings.transmits();
        if (reader == null || !peer.isGone()) {
          throw refused;
        }
        reader.end(operation, refused);
        bindings.wake();
        return;
      }
    }
    if (errno == Constants.TRY_AGAIN) {
      backlog.add(peer, operation);
      bindings.wake();
    } else if (errno < 0) {
      throw outcomes.refused(operation, errno);
    }
  }

  private int attempt(Operation operation, Peer peer) {
    if (!peers.reach(peer)) {
      return Constants.TRY_AGAIN;
    }
    PeerFile file = peer.file;
    if (region == null || file == null || region.isConnected(file, peer.handle)) {
      return poster.post(operation);
    }
    if (!region.connect(file)) {
      return Constants.TRY_AGAIN;
    }
    int errno = poster.post(operation);
    if (errno == 0) {
      region.connected(file, peer.handle);
    }
    return errno;
  }

  /**
   * Posts a receive that is filled in.
   *
   * @return false if libfabric has no room for it; then it is given back
   */
  boolean postReceive(Operation operation) {
    if (several.precede(operation)) {
      several.add(operation);
      return true;
    }
    int errno = poster.post(operation);
    if (errno == Constants.TRY_AGAIN) {
      giveBack(operation);
      return false;
    }
    if (errno < 0) {
      throw outcomes.refused(operation, errno);
    }
    several.posted(operation);
    return true;
  }

  /** Whether receives may be posted. */
  boolean takesReceives() {
    return !closed;
  }

  @SuppressWarnings("ReferenceEquality") // traffic is itself and no other
  boolean isReceive(Operation operation) {
    return operation.owner == this && operation.what == CounterFlag.RECEIVE && !operation.claimed;
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  boolean cancel(@Nullable Object context) {
    if (outstandingReceives.get() == 0) {
      return false;
    }
    Operation first = Withdrawals.first(domain.contexts().all(), this::isReceive, context);
    return first != null && withdraw(first);
  }

  /** Has libfabric give back a receive; false if it does not have it any more. */
  boolean withdraw(Operation receive) {
    return withdrawals.withdraw(receive);
  }

  @Override
  public void sourceGone(Operation receive) {
    withdrawals.sever(receive);
  }

  @Override
  public void ended(Operation operation, FabricException reason) {
    if (closed) {
      giveBack(operation);
    } else {
      outcomes.notPosted(operation, reason);
    }
  }

  // What becomes of it.

  @Override
  public boolean isDue() {
    return !backlog.isEmpty() || several.isDue() || bindings.accesses() != null;
  }

  @Override
  public void beforeMove() {
    if (region != null) {
      region.dropRequestsWithoutPlace();
    }
  }

  @Override
  public void retry() {
    if (!backlog.isEmpty()) {
      backlog.retry(this::leavesBacklog);
    }
    several.retry();
    if (bindings.accesses() != null) {
      bindings.accesses().count();
    }
    if (gone != null) {
      gone.check();
    }
  }

  private boolean leavesBacklog(Operation operation, long waited) {
    CompletionReader reader = bindings.transmits();
    Peer peer = operation.peer;
    if (reader == null || peer == null || !reader.hasRoom()) {
      return false;
    }
    FabricException reason;
    try {
      int errno = attempt(operation, peer);
      if (errno == 0) {
        return true;
      }
      if (errno == Constants.TRY_AGAIN && waited < sizes.patience()) {
        return false;
      }
      reason =
          errno == Constants.TRY_AGAIN
              ? Backlog.late(sizes.patience())
              : outcomes.refused(operation, errno);
    } catch (FabricException unreachable) {
      reason = unreachable;
    }
    outcomes.notPosted(operation, reason);
    return true;
  }

  @Override
  public void succeeded(Operation operation, long entry, long from) {
    if (closed) {
      giveBack(operation);
    } else {
      outcomes.succeeded(operation, entry, from);
    }
  }

  @Override
  public void failed(Operation operation, long entry, @Nullable String words) {
    if (closed) {
      giveBack(operation);
    } else {
      outcomes.failed(operation, entry, words);
    }
  }

  @Override
  public boolean writtenTo(long entry) {
    return outcomes.writtenTo(entry);
  }

  /** An operation is over: lets go of it. */
  void giveBack(Operation operation) {
    release(operation);
    domain.contexts().giveBack(operation);
    several.ended(operation);
  }

  /** Lets go of all that the operation has but its block. */
  private void release(Operation operation) {
    (operation.what == CounterFlag.RECEIVE ? outstandingReceives : outstandingTransmits).add(-1);
    if (operation.peer != null) {
      operation.peer.outstanding--;
    }
    memory.release(operation);
    operation.clear();
  }

  /** What was posted and has not ended, in the order of posting; not what was put aside. */
  @SuppressWarnings("ReferenceEquality") // traffic is itself and no other
  final List<Operation> underWay() {
    return domain.contexts().all().stream()
        .filter(each -> each.owner == this && !each.claimed)
        .sorted(Comparator.comparingLong(each -> each.number))
        .toList();
  }

  /** Returns the files of the peers of operations that have not ended. */
  private Set<PeerFile> receivers() {
    Set<PeerFile> files = new HashSet<>();
    for (Operation each : underWay()) {
      if (each.peer != null && each.peer.file != null && !isReceive(each)) {
        files.add(each.peer.file);
      }
    }
    return files;
  }

  /**
   * Drops the operations that libfabric has forgotten. Their blocks are not used again before the
   * queue was seen empty: it may still have entries of some.
   */
  private void abandonAll() {
    for (Operation each : underWay()) {
      CompletionReader reader = isReceive(each) ? bindings.receives() : bindings.transmits();
      release(each);
      if (reader != null) {
        reader.keepUntilEmpty(each);
      }
    }
  }

  /**
   * Where the memory of messages is registered for this endpoint alone, it keeps the endpoint busy,
   * and operations keep it busy in turn: so receives are withdrawn, and what has ended is read.
   */
  void giveMemoryBack() {
    if (!memory.isOfEndpoint()) {
      return;
    }
    underWay().stream().filter(each -> each.orphaned).forEach(this::giveBack);
    underWay().stream().filter(this::isReceive).forEach(poster::cancel);
    for (int i = 0; i < LAST_READS && outstandingReceives() + outstandingTransmits() > 0; i++) {
      bindings.eachReader(CompletionReader::move);
    }
    memory.close();
  }

  /** Closes libfabric's endpoint; what is under way is dropped. */
  @Override
  public void close() {
    if (region != null) {
      CloseGracePeriod.awaitRequests(
          domain, region, () -> bindings.eachReader(CompletionReader::move));
    }
    domain.lock().lock();
    try {
      closed = true;
      backlog.clear(this::giveBack);
      several.clear(this::giveBack);
      bindings.own().forEach(CompletionReader::discard);
    } finally {
      domain.lock().unlock();
    }
    boolean abandon = domain.completesMessages() && !withdrawals.complete(domain, this::underWay);
    domain.lock().lock();
    try {
      closeEndpoint(abandon);
      bindings.close(domain, peers);
    } finally {
      domain.lock().unlock();
    }
    bindings.engines().forEach(engine -> bindings.eachReader(engine::remove));
  }

  private void closeEndpoint(boolean abandon) {
    try {
      if (abandon) {
        endpoint.abandon();
        bindings.abandon(domain);
        peers.abandon();
      } else {
        claims.drop();
      }
      giveMemoryBack();
      if (region != null) {
        region.endCopies(receivers());
      }
      peers.close(endpoint, name.toBytes());
    } finally {
      bindings.eachReader(reader -> reader.part(this));
      abandonAll();
      poster.close();
    }
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
