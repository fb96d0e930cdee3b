// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Counter;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.SharedVectors;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.CoreSharedVectors;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.CoreCounter;
import org.ofi4j.spi.FabricPeers;
import org.ofi4j.spi.ProgressEngine;

/**
 * A domain as applications call it: its vectors, queues and counters are the kit's, and all that
 * concerns data goes to a {@link DomainTransport}.
 */
public final class KitDomain extends CoreObject implements Domain {
  private final Fabric fabric;
  private final FabricInfo info;
  private final DomainTransport transport;
  private final AllocatedMemories<AllocatedMemory> allocated = new AllocatedMemories<>();
  private final Regions regions;
  private final EndpointDomain own;

  @SuppressWarnings("this-escape") // kept for later
  KitDomain(Fabric fabric, FabricInfo info, DomainTransport transport, @Nullable Object context) {
    super(context);
    this.fabric = fabric;
    this.info = info;
    this.transport = transport;
    regions = new Regions(this, allocated, transport::mover);
    own = new EndpointDomain(this, transport, regions);
    try {
      lifetime.hold(((CoreObject) fabric).lifetime());
    } catch (FabricException closedMeanwhile) {
      transport.close();
      throw closedMeanwhile;
    }
  }

  @Override
  protected void release() {
    transport.close();
  }

  /**
   * Returns the domain as its provider implements it.
   *
   * @return what {@link FabricTransport#openDomain} has returned
   */
  public DomainTransport transport() {
    return transport;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  // Vectors, queues and counters.

  @Override
  public AddressVector openAddressVector(VectorOptions options) {
    lifetime.checkOpen();
    FabricPeers peers = transport.peers(required(options, "options"));
    try {
      CoreAddressVector vector = CoreAddressVector.open(this, lifetime, options, peers);
      transport.opened(new Peers(vector));
      return vector;
    } catch (RuntimeException | Error refused) {
      peers.close();
      throw refused;
    }
  }

  @Override
  public SharedVectors sharedVectors() {
    lifetime.checkOpen();
    return CoreSharedVectors.areIn(info)
        ? new CoreSharedVectors(info)
        : Domain.super.sharedVectors();
  }

  @Override
  public CompletionQueue openCompletionQueue(CompletionQueueOptions options) {
    lifetime.checkOpen();
    long entries = required(options, "options").size();
    return driven(
        (int) (entries == 0 ? CompletionQueueOptions.DEFAULT_SIZE : entries),
        engine -> new CoreCompletionQueue(this, lifetime, options, engine));
  }

  @Override
  public Counter openCounter(@Nullable Object context) {
    lifetime.checkOpen();
    return driven(0, engine -> new CoreCounter(this, lifetime, context, engine));
  }

  /** Opens a queue or counter, which closes its engine; if that is refused, closes it here. */
  private <T> T driven(int entries, Function<ProgressEngine, T> opening) {
    ProgressEngine engine = transport.openProgress(entries);
    try {
      return opening.apply(engine);
    } catch (RuntimeException | Error refused) {
      engine.close();
      throw refused;
    }
  }

  // Memory.

  /**
   * Returns the memory that peers reach through transports of the domain, by key.
   *
   * @return the regions
   */
  public Regions regions() {
    return regions;
  }

  @Override
  public TransferMemory allocate(long bytes) {
    lifetime.checkOpen();
    TransferMemory memory = transport.allocate(this, bytes);
    return memory == null ? new KeptMemory(bytes) : memory;
  }

  /**
   * Memory that is freed by the garbage collector: operations refer to what they send and receive
   * into, also when it is closed.
   */
  private final class KeptMemory extends AllocatedMemory {
    KeptMemory(long bytes) {
      super(KitDomain.this, bytes, false);
      allocated.add(this);
    }

    @Override
    protected void release() {
      allocated.remove(this);
    }
  }

  @Override
  public MemoryRegion register(MemorySegment memory, RegisterOptions options) {
    lifetime.checkOpen();
    AddressVector vector = required(options, "options").vector();
    if (info.transmit().rmaIovLimit() == 0) {
      throw unsupported(this + " has no remote access to memory: ask for provider tcp");
    }
    if (vector != null && !own.hasKeysInVectors()) {
      throw invalid(
          this + " has no authorization keys in vectors: register memory without a vector");
    }
    MemoryRegion region = transport.register(this, memory, options);
    return region == null
        ? regions.register(memory, options, own.hasKeysInVectors() ? keyed(vector, options) : null)
        : region;
  }

  /** Returns the peers of the vector whose authorization keys a region is for. */
  private Peers keyed(@Nullable AddressVector vector, RegisterOptions options) {
    if (vector == null) {
      throw invalid(
          this
              + " has authorization keys in vectors: say whose keys may reach the memory, and"
              + " register it with that vector");
    }
    Peers peers = equals(vector.domain()) ? Peers.of(vector) : null;
    if (peers == null) {
      throw invalid(vector + " is not of " + this);
    }
    if (options.reachedBy() != RegisterOptions.ReachedBy.ANY
        && !info.has(Capability.DIRECTED_RECEIVE)) {
      throw invalid(
          "only a domain with capability DIRECTED_RECEIVE limits memory to one key or one peer");
    }
    return peers;
  }

  // Endpoints.

  @Override
  public MessageEndpoint openEndpoint(FabricInfo endpointInfo, EndpointOptions options) {
    check(endpointInfo);
    Object context = required(options, "options").context();
    return switch (endpointInfo.endpoint().type()) {
      case DGRAM ->
          KitEndpoint.opened(new KitDatagramEndpoint(own, endpointInfo, context), options);
      case MSG -> KitEndpoint.opened(new KitConnectedEndpoint(own, endpointInfo, context), options);
      default -> KitEndpoint.opened(new KitReliableEndpoint(own, endpointInfo, context), options);
    };
  }

  @Override
  public ScalableEndpoint openScalableEndpoint(FabricInfo endpointInfo, ScalableOptions options) {
    check(endpointInfo);
    return KitScalableEndpoint.open(own, endpointInfo, required(options, "options"));
  }

  @Override
  public SharedReceiveContext openSharedReceiveContext(
      FabricInfo contextInfo, SharedReceiveOptions options) {
    check(contextInfo);
    if (own.hasKeysInVectors()) {
      throw unsupported(
          this
              + " has authorization keys, and endpoints with keys share no receives: each holds"
              + " keys of its own");
    }
    return new KitSharedReceiveContext(own, contextInfo, required(options, "options"));
  }

  private void check(FabricInfo endpointInfo) {
    lifetime.checkOpen();
    required(endpointInfo, "info");
    fits("fabric", endpointInfo.fabric(), info.fabric());
    fits("domain", endpointInfo.domain().name(), info.domain().name());
    fits("address format", endpointInfo.addressFormat(), info.addressFormat());
    fits("endpoint type", endpointInfo.endpoint().type(), info.endpoint().type());
    size("tx_attr.size", endpointInfo.transmit().size());
    size("rx_attr.size", endpointInfo.receive().size());
    transport.check(endpointInfo);
  }

  private void fits(String what, Object given, Object own) {
    if (!given.equals(own)) {
      throw invalid(
          "information with %s %s does not fit %s, which has %s".formatted(what, given, this, own));
    }
  }

  private void size(String what, int size) {
    if (size < 1 || size > transport.maxQueueSize()) {
      throw invalid(what + " " + size + ": must be 1 to " + transport.maxQueueSize());
    }
  }

  @Override
  public String toString() {
    return "domain " + info.domain().name() + " of " + fabric;
  }
}
