// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.CounterBinding;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SendRequest;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.BoundEndpoint;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.SearchFlags;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.shm.EndpointFile;
import org.ofi4j.provider.libfabric.shm.OwnNames;

/** What all endpoints over libfabric can do: messages without tags. */
abstract class NativeMessageEndpoint extends BoundEndpoint<EndpointDomain, NativeTraffic>
    implements MessageEndpoint {
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();

  private static final long REMOTE = Flag.maskOf(CounterFlag.REMOTE_READ, CounterFlag.REMOTE_WRITE);

  private final NativePosts messages = new NativePosts(this, false);

  // Guarded by the monitor of this object until the endpoint is open, and final from then on.
  private ConnectionOptions connections = ConnectionOptions.defaults();
  private long minMultiReceive;
  private boolean selectiveTransmits;
  private boolean selectiveReceives;

  /** The file of an endpoint over {@code shm}; it is deleted with the endpoint. */
  private @Nullable EndpointFile file;

  NativeMessageEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, domain.lifetime(), info, context);
  }

  @Override
  protected void bind(EndpointOptions options) {
    for (CounterBinding each : options.counters()) {
      if ((each.flags() & REMOTE) != 0 && !domain().countsAccesses(info())) {
        throw unsupported(
            "%s does not count what peers do to memory here (FI_RMA_EVENT): have them tell you"
                .formatted(domain()));
      }
    }
    super.bind(options);
    connections = options.connections();
    minMultiReceive = options.minMultiReceive();
    if (connections.security() != null) {
      throw unsupported("libfabric encrypts nothing: leave the certificates out, or use tcp");
    }
  }

  @Override
  protected FabricInfo at(FabricAddress address) {
    NativeAddress.checkFormat(address, info().addressFormat(), domain());
    return info().withSource(address);
  }

  @Override
  protected boolean isContentWithCounters() {
    return true;
  }

  @Override
  protected NativeTraffic open(@Nullable Binding out, @Nullable Binding in) {
    selectiveTransmits = out != null && out.selective();
    selectiveReceives = in != null && in.selective();
    DomainResources resources = domain().resources();
    resources.lock().lock();
    try {
      EndpointBindings bindings =
          EndpointBindings.open(resources, domain()::backend, out, in, engines(out, in));
      Destinations peers = null;
      try {
        peers = destinations(bindings);
        return open(resources, peers, bindings, Binding.counters(out, in));
      } catch (RuntimeException | Error refused) {
        bindings.close(resources, peers);
        throw refused;
      }
    } finally {
      resources.lock().unlock();
    }
  }

  private NativeTraffic open(
      DomainResources resources, Destinations peers, EndpointBindings bindings, Counters counters) {
    NativeEndpoint opened = null;
    EndpointFile made = null;
    long events = bindings.accesses() == null ? 0 : Constants.RMA_EVENT;
    try (NativeInfo asked = asked(resources)) {
      asked.setCapabilities(domain().nativeCapabilities(info()) | events);
      asked.setQueueSizes(info().transmit().size(), info().receive().size());
      opened = bindings.on().openEndpoint(asked);
      peers.bindTo(opened);
      bindings.bind(opened);
      made = makeFile(resources, opened);
      opened.enable();
      made = made == null ? null : made.enabled(opened.name());
      peers.enabled(opened.name());
      FabricAddress address = domain().address(opened.name());
      NativeTraffic ready = traffic(resources, opened, address, peers, counters, bindings);
      resources.endpoints().add(opened, lifetime);
      if (made != null) {
        made.atExit(ready::prepareExit);
      }
      file = made;
      return ready;
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

  /** Creates the file that the endpoint is going to have; null if it has none. */
  private @Nullable EndpointFile makeFile(DomainResources resources, NativeEndpoint opened) {
    return resources.hasRegions()
        ? EndpointFile.create(
            opened.name(), info().transmit().size(), info().receive().size(), resources.library())
        : null;
  }

  /** Whom operations are for. */
  Destinations destinations(EndpointBindings bindings) {
    return domain().peers(vector()).on(bindings.on());
  }

  /** What libfabric is to open; the caller's to close. */
  NativeInfo asked(DomainResources resources) {
    NativeInfo asked = resources.info().copy();
    FabricAddress source = info().source();
    byte[] packed = source == null ? null : source.toBytes();
    asked.setSource(packed != null && resources.hasRegions() ? OwnNames.source(packed) : packed);
    return asked;
  }

  /** What goes through libfabric's endpoint, which is open. */
  NativeTraffic traffic(
      DomainResources resources,
      NativeEndpoint opened,
      FabricAddress address,
      Destinations peers,
      Counters counters,
      EndpointBindings bindings) {
    return new NativeTraffic(resources, opened, address, peers, counters, bindings, sizes());
  }

  /** How long an operation may wait to be posted, in nanoseconds. */
  long patience() {
    return connectTimeout();
  }

  final long connectTimeout() {
    return TimeUnit.NANOSECONDS.convert(connections.connectTimeout());
  }

  final EndpointSizes sizes() {
    return new EndpointSizes(
        info().transmit().size(),
        info().receive().size(),
        info().transmit().injectSize(),
        info().endpoint().maxMessageSize(),
        minMultiReceive,
        patience());
  }

  /** What moves the data. */
  List<NativeProgress> engines(@Nullable Binding out, @Nullable Binding in) {
    return Binding.engines(out, in).map(engine -> (NativeProgress) engine).distinct().toList();
  }

  @Override
  protected void begin(NativeTraffic ready) {
    ready.join();
  }

  @Override
  protected void end(NativeTraffic present) {
    DomainResources resources = domain().resources();
    resources.lock().lock();
    try {
      resources.endpoints().remove(lifetime);
    } finally {
      resources.lock().unlock();
    }
    super.end(present);
    if (file != null) {
      file.close();
    }
  }

  @Override
  protected long outstandingTransmits(NativeTraffic present) {
    return present.outstandingTransmits();
  }

  @Override
  protected long outstandingReceives(NativeTraffic present) {
    return present.outstandingReceives();
  }

  // What posts ask.

  NativeTraffic sending() {
    return sending(ready());
  }

  NativeTraffic receiving() {
    NativeTraffic present = ready();
    return receiving(info().has(Capability.RECEIVE) ? present : null);
  }

  NativeTraffic accessing(Capability needed) {
    if (!info().has(needed)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no capability " + needed + ": ask for it in the hints");
    }
    return ready();
  }

  boolean selectiveTransmits() {
    return selectiveTransmits;
  }

  boolean selectiveReceives() {
    return selectiveReceives;
  }

  boolean takesSeveral() {
    return info().has(Capability.MULTI_RECEIVE);
  }

  /** Refuses to look for a message that has come, or to take one that was found, as flags say. */
  void checkSearch(@Nullable Object context, long flags, boolean tagged) {
    SearchFlags.check(context, flags);
    if (!tagged) {
      throw unsupported(
          "libfabric looks for tagged messages only: have the message sent with a tag, or receive"
              + " it");
    }
    if ((flags & CLAIM) != 0 && info().endpoint().type() == EndpointType.MSG) {
      throw unsupported(
          "%s has one peer: take what PEEK has found with an ordinary receive".formatted(this));
    }
    DomainResources resources = domain().resources();
    String fault = resources.searchFault(flags);
    if (fault != null) {
      throw unsupported(
          "%s of libfabric %s %s"
              .formatted(info().fabric().provider(), resources.library().versionText(), fault));
    }
  }

  /** The thread that will move what is posted; null if those who read the queues do. */
  @Nullable Thread mover() {
    return domain().mover();
  }

  /** Refuses immediate data that the fabric does not carry. */
  void checkData(long data, long flags) {
    if ((flags & DATA) == 0) {
      return;
    }
    int bytes = domain().dataSize();
    if (bytes == 0) {
      throw unsupported(
          "%s carries no immediate data: put it into the message".formatted(domain()));
    }
    if (bytes < Long.BYTES && data >>> (Byte.SIZE * bytes) != 0) {
      throw invalid("data 0x%x: %s carries %s bytes of it".formatted(data, domain(), bytes));
    }
  }

  @Override
  public boolean trySend(MemorySegment message, long destination, @Nullable Object context) {
    return messages.send(message, null, 0, destination, 0, context, 0);
  }

  @Override
  public boolean trySend(SendRequest request) {
    return messages.send(request, 0);
  }

  @Override
  public boolean tryInject(MemorySegment message, long destination) {
    return messages.inject(message, 0, destination, 0, 0);
  }

  @Override
  public boolean tryInject(SendRequest request) {
    return messages.inject(request, 0);
  }

  @Override
  public boolean tryReceive(MemorySegment buffer, @Nullable Object context) {
    return messages.receive(buffer, null, Handles.UNSPECIFIED, 0, 0, context, 0);
  }

  @Override
  public boolean tryReceive(ReceiveRequest request) {
    return messages.receive(required(request, "request"), 0, 0);
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    NativeTraffic present = receiving();
    present.lock();
    try {
      return present.cancel(context);
    } finally {
      present.unlock();
    }
  }
}
