// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Counter;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.Progress;
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
import org.ofi4j.provider.kit.BoundEndpoint;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.libfabric.endpoint.DomainResources;
import org.ofi4j.provider.libfabric.endpoint.EndpointDomain;
import org.ofi4j.provider.libfabric.endpoint.NativeConnectedEndpoint;
import org.ofi4j.provider.libfabric.endpoint.NativeDatagramEndpoint;
import org.ofi4j.provider.libfabric.endpoint.NativeMemory;
import org.ofi4j.provider.libfabric.endpoint.NativeReliableEndpoint;
import org.ofi4j.provider.libfabric.endpoint.RegisteredRegion;
import org.ofi4j.provider.libfabric.endpoint.ReportedQueue;
import org.ofi4j.provider.libfabric.endpoint.VectorPeers;
import org.ofi4j.provider.libfabric.fault.RegionProtection;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.progress.AutomaticNativeProgress;
import org.ofi4j.provider.libfabric.progress.ManualNativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgressThread;

/** One interface of a fabric of libfabric's. */
final class LibfabricDomain extends CoreObject implements EndpointDomain {
  /** What libfabric's TCP is called, which counts accesses with immediate data and no others. */
  private static final Set<String> COUNTING_FEW = Set.of("net", "tcp");

  private final LibfabricFabric fabric;
  private final FabricInfo info;
  private final DomainResources resources;
  private final @Nullable NativeProgressThread thread;

  LibfabricDomain(
      LibfabricFabric fabric,
      FabricInfo info,
      DomainResources resources,
      @Nullable Object context) {
    super(context);
    this.fabric = fabric;
    this.info = info;
    this.resources = resources;
    thread =
        info.domain().progress() == Progress.AUTO
            ? new NativeProgressThread(resources.library(), info.domain().name())
            : null;
    try {
      lifetime.hold(fabric.lifetime());
    } catch (FabricException closedMeanwhile) {
      if (thread != null) {
        thread.stop();
      }
      throw closedMeanwhile;
    }
  }

  @Override
  protected void release() {
    if (thread != null) {
      thread.stop();
    }
    resources.close();
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public DomainResources resources() {
    return resources;
  }

  @Override
  public @Nullable Thread mover() {
    NativeProgressThread present = thread;
    return present == null ? null : present.mover();
  }

  @Override
  public AddressVector openAddressVector(VectorOptions options) {
    lifetime.checkOpen();
    required(options, "options");
    if (options.name() != null && resources.reportsSources()) {
      throw unsupported(NativeOffers.SHARED_SOURCES + ": open " + this + " without SOURCE");
    }
    if (options.name() != null && resources.directsReceives()) {
      throw unsupported(
          NativeOffers.SHARED_DIRECTED + ": open " + this + " without DIRECTED_RECEIVE");
    }
    VectorPeers peers = new VectorPeers(resources);
    try {
      CoreAddressVector vector = CoreAddressVector.open(this, lifetime, options, peers);
      peers.attach(vector);
      return vector;
    } catch (RuntimeException | Error refused) {
      peers.close();
      throw refused;
    }
  }

  @Override
  public VectorPeers peers(CoreAddressVector vector) {
    return (VectorPeers) vector.fabricPeers();
  }

  @Override
  public SharedVectors sharedVectors() {
    lifetime.checkOpen();
    return CoreSharedVectors.areIn(info)
        ? new CoreSharedVectors(info)
        : EndpointDomain.super.sharedVectors();
  }

  @Override
  public CompletionQueue openCompletionQueue(CompletionQueueOptions options) {
    lifetime.checkOpen();
    required(options, "options");
    long size = options.size() == 0 ? CompletionQueueOptions.DEFAULT_SIZE : options.size();
    ReportedQueue backend = new ReportedQueue(size);
    NativeProgress engine = null;
    try {
      backend.openReader(resources);
      engine = progress(backend);
      CoreCompletionQueue queue = new CoreCompletionQueue(this, lifetime, options, engine);
      backend.reportTo(queue);
      return queue;
    } catch (RuntimeException | Error refused) {
      if (engine == null) {
        backend.close();
      } else {
        engine.close();
      }
      throw refused;
    }
  }

  @Override
  public Counter openCounter(@Nullable Object context) {
    lifetime.checkOpen();
    return new CoreCounter(this, lifetime, context, progress(null));
  }

  private NativeProgress progress(@Nullable ReportedQueue backend) {
    return thread == null
        ? new ManualNativeProgress(resources.library(), backend)
        : new AutomaticNativeProgress(thread, backend);
  }

  @Override
  public ReportedQueue backend(CoreCompletionQueue queue) {
    return (ReportedQueue) ((NativeProgress) queue.engine()).backend();
  }

  @Override
  public long nativeCapabilities(FabricInfo endpointInfo) {
    return NativeOffers.toNative(endpointInfo.capabilities());
  }

  @Override
  public boolean countsAccesses(FabricInfo endpointInfo) {
    String provider = ProviderNames.toNative(info.fabric().provider());
    return !COUNTING_FEW.contains(provider) && fabric.grants(endpointInfo, Constants.RMA_EVENT);
  }

  @Override
  public TransferMemory allocate(long bytes) {
    lifetime.checkOpen();
    return new NativeMemory(this, lifetime, resources, bytes);
  }

  @Override
  public MemoryRegion register(MemorySegment memory, RegisterOptions options) {
    lifetime.checkOpen();
    if (required(options, "options").vector() != null) {
      throw invalid(
          this + " has no authorization keys in vectors: register memory without a vector");
    }
    if (!info.has(Capability.RMA)) {
      throw unsupported(this + " has no remote access to memory: ask for capability RMA");
    }
    return RegisteredRegion.open(this, memory, options);
  }

  @Override
  public MessageEndpoint openEndpoint(FabricInfo endpointInfo, EndpointOptions options) {
    lifetime.checkOpen();
    check(endpointInfo);
    Object context = required(options, "options").context();
    return switch (endpointInfo.endpoint().type()) {
      case DGRAM ->
          BoundEndpoint.opened(new NativeDatagramEndpoint(this, endpointInfo, context), options);
      case MSG ->
          BoundEndpoint.opened(NativeConnectedEndpoint.of(this, endpointInfo, context), options);
      default ->
          BoundEndpoint.opened(new NativeReliableEndpoint(this, endpointInfo, context), options);
    };
  }

  @Override
  public ScalableEndpoint openScalableEndpoint(FabricInfo endpointInfo, ScalableOptions options) {
    lifetime.checkOpen();
    throw unsupported(
        this + " has no endpoints of several contexts: ask for provider tcp, or open several");
  }

  @Override
  public SharedReceiveContext openSharedReceiveContext(
      FabricInfo contextInfo, SharedReceiveOptions options) {
    lifetime.checkOpen();
    throw unsupported(this + " has no shared receives: ask for provider tcp");
  }

  private void check(FabricInfo endpointInfo) {
    required(endpointInfo, "info");
    fits("fabric", endpointInfo.fabric(), info.fabric());
    fits("domain", endpointInfo.domain().name(), info.domain().name());
    fits("address format", endpointInfo.addressFormat(), info.addressFormat());
    fits("endpoint type", endpointInfo.endpoint().type(), info.endpoint().type());
    RegionProtection.check(ProviderNames.toNative(info.fabric().provider()), endpointInfo);
    if (DirectedReceives.of(endpointInfo).any() && !resources.directsReceives()) {
      throw invalid(this + " was opened without DIRECTED_RECEIVE: its endpoints cannot have it");
    }
  }

  private void fits(String what, Object given, Object own) {
    if (!given.equals(own)) {
      throw invalid("%s %s does not fit %s, which has %s".formatted(what, given, this, own));
    }
  }

  @Override
  public String toString() {
    return "domain " + info.fabric().provider() + " " + info.domain().name();
  }
}
