// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

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
import org.ofi4j.provider.net.endpoint.AllocatedMemories;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.RegionKeys;
import org.ofi4j.provider.net.endpoint.Regions;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.tcp.MsgEndpoint;
import org.ofi4j.provider.net.tcp.RdmEndpoint;
import org.ofi4j.provider.net.tcp.RdmScalableEndpoint;
import org.ofi4j.provider.net.tcp.TcpSharedReceiveContext;
import org.ofi4j.provider.net.udp.UdpEndpoint;

/** One interface of a network. */
final class NetDomain extends CoreObject implements EndpointDomain {
  private final NetFabric fabric;
  private final Protocol protocol;
  private final FabricInfo info;
  private final @Nullable ProgressThread progressThread;
  private final Staging.Pool staging = new Staging.Pool();
  private final Regions regions;
  private final AllocatedMemories allocatedMemories = new AllocatedMemories();

  NetDomain(NetFabric fabric, FabricInfo info, @Nullable Object context) {
    super(context);
    Protocol of = Protocol.of(info);
    if (of == null) {
      throw invalid(
          "information with endpoint type %s does not open a domain of %s"
              .formatted(info.endpoint().type(), fabric));
    }
    if (info.domain().maxGroupId() != 0 && of != Protocol.TCP) {
      throw invalid(
          "max_group_id %s: %s no peer groups; take the information as it was given"
              .formatted(info.domain().maxGroupId(), of.have()));
    }
    this.fabric = fabric;
    this.protocol = of;
    this.info = info;
    regions = new Regions(this);
    progressThread =
        info.domain().progress() == Progress.AUTO ? new ProgressThread(info.domain().name()) : null;
    try {
      lifetime.hold(fabric.lifetime());
    } catch (FabricException closedMeanwhile) {
      release();
      throw closedMeanwhile;
    }
  }

  @Override
  protected void release() {
    if (progressThread != null) {
      progressThread.stop();
    }
  }

  @Override
  public @Nullable ProgressThread progressThread() {
    return progressThread;
  }

  @Override
  public Staging.Pool staging() {
    return staging;
  }

  @Override
  public Regions regions() {
    return regions;
  }

  @Override
  public AllocatedMemories allocatedMemories() {
    return allocatedMemories;
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
  public AddressVector openAddressVector(VectorOptions options) {
    lifetime.checkOpen();
    return CoreAddressVector.open(this, lifetime, required(options, "options"));
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
    return driven(engine -> new CoreCompletionQueue(this, lifetime, options, engine));
  }

  @Override
  public Counter openCounter(@Nullable Object context) {
    lifetime.checkOpen();
    return driven(engine -> new CoreCounter(this, lifetime, context, engine));
  }

  /** Opens what an engine drives, which closes the engine; a refusal closes it here. */
  private <T> T driven(Function<NetProgress, T> opening) {
    NetProgress engine =
        progressThread == null ? new ManualProgress() : new AutomaticProgress(progressThread);
    try {
      return opening.apply(engine);
    } catch (RuntimeException | Error refused) {
      engine.close();
      throw refused;
    }
  }

  @Override
  public TransferMemory allocate(long bytes) {
    lifetime.checkOpen();
    return allocatedMemories.allocate(this, lifetime, bytes);
  }

  @Override
  public MemoryRegion register(MemorySegment memory, RegisterOptions options) {
    lifetime.checkOpen();
    AddressVector vector = required(options, "options").vector();
    if (protocol == Protocol.UDP) {
      throw unsupported(protocol.have() + " no remote access to memory: ask for provider tcp");
    }
    return regions.register(memory, options, vector == null ? null : asked(vector, options));
  }

  private RegionKeys.Asked asked(AddressVector vector, RegisterOptions options) {
    CoreAddressVector keys = keysOf(vector);
    if (options.reachedBy() != RegisterOptions.ReachedBy.ANY
        && !info.has(Capability.DIRECTED_RECEIVE)) {
      throw invalid(
          "only a domain with capability DIRECTED_RECEIVE limits memory to one key or one peer");
    }
    return new RegionKeys.Asked(keys, options.reachedBy(), options.source());
  }

  /** A vector of this domain whose keys memory may be registered for. */
  private CoreAddressVector keysOf(AddressVector vector) {
    if (!hasKeysInVectors()) {
      throw invalid(
          this + " has no authorization keys in vectors: register memory without a vector");
    }
    if (!(vector instanceof CoreAddressVector own) || !equals(own.domain())) {
      throw invalid(vector + " is not of " + this);
    }
    return own;
  }

  @Override
  public MessageEndpoint openEndpoint(FabricInfo endpointInfo, EndpointOptions options) {
    lifetime.checkOpen();
    check(endpointInfo);
    Object context = required(options, "options").context();
    return switch (protocol) {
      case UDP -> BoundEndpoint.opened(new UdpEndpoint(this, endpointInfo, context), options);
      case TCP -> BoundEndpoint.opened(new RdmEndpoint(this, endpointInfo, context), options);
      case CONNECTED_TCP ->
          BoundEndpoint.opened(MsgEndpoint.of(this, endpointInfo, context), options);
    };
  }

  @Override
  public ScalableEndpoint openScalableEndpoint(FabricInfo endpointInfo, ScalableOptions options) {
    lifetime.checkOpen();
    check(endpointInfo);
    if (protocol != Protocol.TCP) {
      throw unsupported(
          protocol.have() + " no several contexts: ask for provider tcp and endpoint type RDM");
    }
    return RdmScalableEndpoint.open(this, endpointInfo, required(options, "options"));
  }

  @Override
  public SharedReceiveContext openSharedReceiveContext(
      FabricInfo contextInfo, SharedReceiveOptions options) {
    lifetime.checkOpen();
    check(contextInfo);
    if (protocol == Protocol.UDP) {
      throw unsupported(protocol.have() + " no shared receives: ask for provider tcp");
    }
    if (hasKeysInVectors()) {
      throw unsupported(
          this
              + " has authorization keys, and endpoints with keys share no receives: each holds"
              + " keys of its own");
    }
    return new TcpSharedReceiveContext(this, contextInfo, required(options, "options"));
  }

  private void check(FabricInfo endpointInfo) {
    required(endpointInfo, "info");
    fits("fabric", endpointInfo.fabric(), info.fabric());
    fits("domain", endpointInfo.domain().name(), info.domain().name());
    fits("address format", endpointInfo.addressFormat(), info.addressFormat());
    fits("endpoint type", endpointInfo.endpoint().type(), protocol.type());
    EndpointAddress.checkSource(endpointInfo.source(), info.addressFormat(), this);
    size("tx_attr.size", endpointInfo.transmit().size());
    size("rx_attr.size", endpointInfo.receive().size());
  }

  private void fits(String what, Object given, Object own) {
    if (!given.equals(own)) {
      throw invalid(
          "information with %s %s does not fit %s, which has %s".formatted(what, given, this, own));
    }
  }

  private void size(String what, int size) {
    if (size < 1 || size > protocol.mostPosted()) {
      throw invalid(what + " " + size + ": must be 1 to " + protocol.mostPosted());
    }
  }

  @Override
  public String toString() {
    return "domain " + info.domain().name() + " of " + fabric;
  }
}
