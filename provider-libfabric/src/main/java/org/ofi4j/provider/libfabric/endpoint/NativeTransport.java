// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;
import static org.ofi4j.provider.kit.Misuse.unsupported;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.offer.NativeOffers;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.QueueReader;
import org.ofi4j.provider.libfabric.shm.EndpointFile;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;
import org.ofi4j.provider.libfabric.shm.OwnNames;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/**
 * An endpoint of libfabric from being opened until it is closed, with what its two directions
 * share.
 *
 * <p>The lock of the domain guards all.
 */
final class NativeTransport implements Transport, CompletionReader.Endpoint {
  /** How often queues are read before an endpoint is closed whose memory is in use. */
  private static final int LAST_READS = 1_000;

  /** The time for which closing waits for messages that have come in part, in nanoseconds. */
  private static final long FOR_MESSAGES = TimeUnit.MILLISECONDS.toNanos(500);

  /** The time for which closing waits for peers that connect to read requests, in nanoseconds. */
  private static final long FOR_REQUESTS = TimeUnit.SECONDS.toNanos(5);

  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

  final DomainResources domain;

  /** The peers of the operations. */
  final Destinations peers;

  /** The calls that hand operations to libfabric. */
  final TransferCalls calls;

  /** The memory of operations. */
  final OperationMemory memory;

  /** libfabric's endpoint. */
  final NativeEndpoint endpoint;

  final EndpointBindings bindings;
  private final FabricObject object;
  private final FabricAddress name;
  private final @Nullable NativeTransmitter transmitter;
  private final @Nullable NativeReceiver receiver;

  /** The file and region of the endpoint in shared memory; null over other fabrics. */
  private final @Nullable EndpointFile file;

  private final @Nullable EndpointRegion region;

  /** The number of the next operation in the order of posting. */
  private long posted;

  private boolean closed;

  private NativeTransport(
      DomainResources domain,
      EndpointOpening opening,
      NativeEndpoint endpoint,
      @Nullable EndpointFile file,
      Destinations peers,
      EndpointBindings bindings,
      long patience) {
    this.domain = domain;
    this.endpoint = endpoint;
    this.file = file;
    this.peers = peers;
    this.bindings = bindings;
    object = opening.endpoint();
    name = domain.address(endpoint.name());
    calls = new TransferCalls(endpoint, domain.discardSink());
    memory = new OperationMemory(domain, endpoint);
    byte[] packed = name.toBytes();
    Path path = file == null ? null : PeerFile.of(packed);
    region = path == null ? null : new EndpointRegion(path, packed, domain.library);
    Completions sends = opening.sends();
    Completions receives = opening.receives();
    domain.locked.wakeAfterwards(sends);
    domain.locked.wakeAfterwards(receives);
    transmitter =
        sends == null ? null : new NativeTransmitter(this, sends, opening.info(), patience, region);
    receiver = receives == null ? null : new NativeReceiver(this, receives, opening);
  }

  /**
   * Opens an endpoint.
   *
   * @param info libfabric's information, closed by this call
   * @param peers makes the peers, with the libfabric domain on which the endpoint is opened
   * @param engines have the queues read
   * @param patience how long an operation may wait to be posted, in nanoseconds
   */
  static NativeTransport open(
      DomainResources domain,
      EndpointOpening opening,
      NativeInfo info,
      Function<NativeDomain, Destinations> peers,
      List<NativeProgress> engines,
      long patience) {
    try (var _ = domain.lock();
        info;
        Rollback rollback = new Rollback()) {
      EndpointBindings bindings = EndpointBindings.open(domain, opening, engines);
      rollback.add(() -> bindings.close(domain));
      Destinations made = peers.apply(bindings.on());
      rollback.add(made::left);
      return rollback.keep(open(domain, opening, info, made, bindings, patience));
    }
  }

  private static NativeTransport open(
      DomainResources domain,
      EndpointOpening opening,
      NativeInfo asked,
      Destinations peers,
      EndpointBindings bindings,
      long patience) {
    FabricInfo info = opening.info();
    NativeEndpoint opened = null;
    EndpointFile made = null;
    try {
      asked.setCapabilities(
          NativeOffers.toNative(info.capabilities())
              | (bindings.accesses() == null ? 0 : Constants.RMA_EVENT));
      asked.setQueueSizes(info.transmit().size(), info.receive().size());
      opened = new NativeEndpoint(bindings.on(), asked);
      peers.bindTo(opened);
      bindings.bind(opened);
      if (domain.hasRegions) {
        made =
            EndpointFile.create(
                opened.name(), info.transmit().size(), info.receive().size(), domain.library);
      }
      opened.enable();
      made = made == null ? null : made.enabled(opened.name());
      peers.enabled(opened.name());
      NativeTransport transport =
          new NativeTransport(domain, opening, opened, made, peers, bindings, patience);
      domain.opened(opening.endpoint(), opened);
      if (made != null) {
        made.atExit(transport::prepareExit);
      }
      return transport;
    } catch (RuntimeException | Error refused) {
      if (opened != null) {
        opened.close();
      }
      if (made != null) {
        made.close();
      }
      throw refused;
    }
  }

  /**
   * Returns libfabric's information for an endpoint, which the caller closes. The file of an
   * endpoint over shm has a name of this process.
   */
  static NativeInfo asked(DomainResources domain, FabricInfo endpoint) {
    FabricAddress source = endpoint.source();
    byte[] packed = source == null ? null : source.toBytes();
    NativeInfo asked = domain.info.copy();
    asked.setSource(packed != null && domain.hasRegions ? OwnNames.source(packed) : packed);
    return asked;
  }

  /** Returns what moves the data of the queues and counters of an endpoint. */
  static List<NativeProgress> engines(EndpointOpening opening) {
    return opening.engines().map(engine -> (NativeProgress) engine).toList();
  }

  /** The process exits; returns whether the file of the endpoint may be deleted. */
  private boolean prepareExit() {
    return region == null || region.prepareExit();
  }

  // Shared by transmitter and receiver.

  /** Takes the lock of the domain; throws if the endpoint is closed. */
  LockedFabric.Held lock() {
    LockedFabric.Held held = domain.locked.lock();
    if (closed) {
      unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
    return held;
  }

  void unlock() {
    domain.locked.unlock();
  }

  /** Returns whether operations that end are not reported any more. */
  boolean isClosed() {
    return closed;
  }

  /** Returns the number of the next operation in the order of posting. */
  long nextNumber() {
    return posted++;
  }

  /** Has the threads that wait for the queues read them. */
  void changed() {
    bindings.engines().forEach(NativeProgress::changed);
  }

  @Override
  public FabricAddress name() {
    return name;
  }

  @Override
  public @Nullable NativeTransmitter transmitter() {
    return transmitter;
  }

  @Override
  public @Nullable NativeReceiver receiver() {
    return receiver;
  }

  /** From now on its data is moved. */
  @Override
  public void begin() {
    bindings.readers().forEach(reader -> reader.join(this));
    bindings.engines().forEach(engine -> bindings.readers().forEach(engine::add));
  }

  /** Has libfabric know peers that are there, before anything is sent to them. */
  @Override
  public void warmUp(long[] handles) {
    try (var _ = lock()) {
      for (Peer each : Arrays.stream(handles).mapToObj(peers::peer).toList()) {
        try {
          peers.reach(each);
        } catch (FabricException unreachable) {
          // The first send reports it.
        }
      }
    }
  }

  @Override
  public boolean writtenTo(long entry) {
    return receiver != null && !closed && receiver.writtenTo(entry);
  }

  // Turns.

  @Override
  public void beforeMove() {
    if (region != null) {
      region.dropRequestsWithoutPlace();
    }
  }

  @Override
  public boolean hasRoom() {
    return closed
        || !((transmitter != null && transmitter.completions.hasKept())
            || (receiver != null && receiver.completions.hasKept()));
  }

  @Override
  public void progress() {
    if (closed) {
      return;
    }
    if (transmitter != null) {
      transmitter.progress();
    }
    if (receiver != null) {
      receiver.progress();
    }
    if (bindings.accesses() != null) {
      bindings.accesses().count();
    }
  }

  @Override
  public boolean isDue() {
    return (transmitter != null && transmitter.isDue())
        || (receiver != null && receiver.isDue())
        || bindings.accesses() != null;
  }

  // The end.

  /** Returns the operations that have not ended, in the order of posting, without claims. */
  List<NativeOperation> underWay() {
    return domain.contexts.all().stream()
        .filter(each -> isOwn(each.owner) && !each.claimed && !each.ended)
        .sorted(Comparator.comparingLong(each -> each.number))
        .toList();
  }

  private boolean isOwn(NativeOperation.@Nullable Owner owner) {
    return owner != null && (owner.equals(transmitter) || owner.equals(receiver));
  }

  private static boolean isReceive(NativeOperation operation) {
    return operation.what == CounterFlag.RECEIVE;
  }

  /** Returns how many operations are under way, or have ended and were not reported. */
  long outstanding() {
    return (transmitter == null ? 0 : transmitter.outstanding())
        + (receiver == null ? 0 : receiver.outstanding());
  }

  /** Closes libfabric's endpoint; operations that are under way are dropped. */
  @Override
  public void close() {
    if (region != null) {
      // Another process that does not read for so long may end when it reads.
      await(region::awaitsRequests, this::moveOwn, FOR_REQUESTS);
    }
    try (var _ = domain.lock()) {
      domain.closed(object);
      closed = true;
      if (transmitter != null) {
        transmitter.backlog.clear(transmitter::giveBack);
        transmitter.completions.detach();
      }
      if (receiver != null) {
        receiver.several.clear(receiver::giveBack);
        receiver.completions.detach();
      }
    }
    boolean abandon = domain.completesMessages() && !completeMessages();
    try (var _ = domain.lock()) {
      closeEndpoint(abandon);
      peers.left();
      bindings.close(domain);
    }
    bindings.engines().forEach(engine -> bindings.readers().forEach(engine::remove));
    if (file != null) {
      file.close();
    }
  }

  /**
   * Withdraws receives, and waits until those have ended that have a part of their message, and
   * reads. Returns false if some did not end in time.
   */
  private boolean completeMessages() {
    try (var _ = domain.lock()) {
      withdraw();
    }
    return await(
        () ->
            underWay().stream().anyMatch(each -> isReceive(each) || each.what == CounterFlag.READ),
        domain::moveAll,
        FOR_MESSAGES);
  }

  private void withdraw() {
    underWay().stream().filter(NativeTransport::isReceive).forEach(each -> calls.cancel(each));
  }

  private void moveOwn() {
    bindings.readers().forEach(QueueReader::move);
  }

  /**
   * Waits for what libfabric cannot break off.
   *
   * @param pending asked with the lock held
   * @param move moves data; called without the lock
   * @return false if it is still pending when the time is up
   */
  private boolean await(BooleanSupplier pending, Runnable move, long nanoseconds) {
    long begun = System.nanoTime();
    while (isPending(pending)) {
      if (System.nanoTime() - begun > nanoseconds) {
        return false;
      }
      move.run();
      LockSupport.parkNanos(this, PAUSE);
    }
    return true;
  }

  private boolean isPending(BooleanSupplier pending) {
    try (var _ = domain.lock()) {
      return pending.getAsBoolean();
    }
  }

  private void closeEndpoint(boolean abandon) {
    try {
      if (abandon) {
        endpoint.abandon();
        bindings.abandon(domain);
        peers.abandon();
      } else if (receiver != null) {
        receiver.dropClaims();
      }
      giveMemoryBack();
      if (region != null) {
        region.endCopies(receivers());
      }
      peers.close(endpoint, name.toBytes());
    } finally {
      bindings.readers().forEach(reader -> reader.part(this));
      abandonAll();
      calls.close();
    }
  }

  /**
   * Closes the memory that is registered for this endpoint alone. Libfabric does not close the
   * endpoint before, nor the memory while operations use it: so this method withdraws the receives
   * and reads the completions of all operations.
   */
  private void giveMemoryBack() {
    if (!memory.isOfEndpoint()) {
      return;
    }
    for (NativeOperation each : underWay()) {
      if (each.orphaned && receiver != null) {
        receiver.giveBack(each);
      }
    }
    withdraw();
    for (int i = 0; i < LAST_READS && outstanding() > 0; i++) {
      moveOwn();
    }
    memory.close();
  }

  /** Returns the files of the peers of operations that have not ended. */
  private Set<PeerFile> receivers() {
    Set<PeerFile> files = new HashSet<>();
    for (NativeOperation each : underWay()) {
      if (each.to != null && each.to.file != null && !isReceive(each)) {
        files.add(each.to.file);
      }
    }
    return files;
  }

  /**
   * Drops the operations that libfabric has forgotten. Their blocks are not used again before the
   * queue was seen empty: it may still have entries of some.
   */
  private void abandonAll() {
    for (NativeOperation each : underWay()) {
      CompletionReader reader = isReceive(each) ? bindings.receives() : bindings.transmits();
      NativeDirection direction = isReceive(each) ? receiver : transmitter;
      if (direction != null) {
        direction.release(each);
      }
      if (reader != null) {
        reader.keepUntilEmpty(each);
      }
    }
  }

  /** The exception of options that libfabric has nothing for. */
  static void check(DomainResources domain, EndpointOpening opening) {
    boolean counts =
        opening.counters().has(CounterFlag.REMOTE_READ)
            || opening.counters().has(CounterFlag.REMOTE_WRITE);
    if (counts && !domain.countsAccesses(opening.info())) {
      throw unsupported(
          "%s does not count what peers do to memory here (FI_RMA_EVENT): have them tell you"
              .formatted(opening.domain()));
    }
    if (opening.connections().security() != null) {
      throw unsupported("libfabric encrypts nothing: leave the certificates out, or use tcp");
    }
  }

  @Override
  public String toString() {
    return object.toString();
  }
}
