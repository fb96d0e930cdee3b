// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.libfabric.connection.Connection;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.progress.ManualNativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/** {@code FI_EP_MSG} over libfabric: an endpoint with one peer. */
public final class NativeConnectedEndpoint extends NativeWholeEndpoint
    implements ConnectedEndpoint {
  private final @Nullable NativeConnectionRequest request;

  // Guarded by the monitor of this object until the endpoint is open, and final from then on.
  private @Nullable CoreEventQueue events;
  private int connectionDataSize;

  private NativeConnectedEndpoint(
      EndpointDomain domain,
      FabricInfo info,
      @Nullable Object context,
      @Nullable NativeConnectionRequest request) {
    super(domain, info, context);
    this.request = request;
  }

  /** One that nothing is bound to yet; of a request, which nobody else can take then. */
  public static NativeConnectedEndpoint of(
      EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    ConnectionHandle handle = info.handle();
    if (handle == null) {
      return new NativeConnectedEndpoint(domain, info, context, null);
    }
    if (!(handle instanceof NativeConnectionRequest wanted)) {
      throw invalid(handle + " is no connection request of this provider");
    }
    wanted.claim();
    try {
      return new NativeConnectedEndpoint(domain, info, context, wanted);
    } catch (RuntimeException | Error failed) {
      wanted.giveUp();
      throw failed;
    }
  }

  @Override
  protected void bind(EndpointOptions options) {
    if (options.connections().idleTimeout() != null) {
      throw unsupported(this + " has one connection, which its application opens and closes");
    }
    super.bind(options);
  }

  @Override
  protected void bind(EventQueue queue) {
    events = use(CoreEventQueue.class, queue, queue.fabric(), domain().fabric());
  }

  @Override
  protected FabricInfo at(FabricAddress address) {
    if (request != null) {
      throw invalid(this + " was opened for " + request + ", and is where that went to");
    }
    return super.at(address);
  }

  @Override
  protected NativeTraffic open(@Nullable Binding out, @Nullable Binding in) {
    bound();
    return super.open(out, in);
  }

  private CoreEventQueue bound() {
    CoreEventQueue present = events;
    if (present == null) {
      throw new FabricException(Errno.ENOEQ, this + " has no event queue: name one in the options");
    }
    return present;
  }

  /** Those who read the event queue move the data too, unless a thread does. */
  @Override
  List<NativeProgress> engines(@Nullable Binding out, @Nullable Binding in) {
    List<NativeProgress> queues = super.engines(out, in);
    if (mover() != null) {
      return queues;
    }
    NativeProgress driving =
        (NativeProgress)
            bound().drive(() -> new ManualNativeProgress(domain().resources().library(), null));
    return Stream.concat(queues.stream(), Stream.of(driving)).distinct().toList();
  }

  @Override
  Destinations destinations(EndpointBindings bindings) {
    return new ConnectedPeer(domain().resources().events());
  }

  @Override
  NativeInfo asked(DomainResources resources) {
    NativeConnectionRequest wanted = request;
    return wanted == null ? super.asked(resources) : wanted.info().copy();
  }

  /** A peer that reads slowly may do so. */
  @Override
  long patience() {
    return QueueReader.NO_LIMIT;
  }

  @Override
  NativeTraffic traffic(
      DomainResources resources,
      NativeEndpoint opened,
      FabricAddress address,
      Destinations peers,
      Counters counters,
      EndpointBindings bindings) {
    connectionDataSize = opened.connectionDataSize();
    return new ConnectedTraffic(
        this, bound(), opened, address, (ConnectedPeer) peers, counters, bindings);
  }

  @Override
  protected void end(NativeTraffic present) {
    super.end(present);
    giveUp();
  }

  @Override
  protected void neverOpened() {
    giveUp();
  }

  private void giveUp() {
    if (request != null) {
      request.giveUp();
    }
  }

  private ConnectedTraffic connecting() {
    return (ConnectedTraffic) ready();
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    ConnectedTraffic present = connecting();
    required(address, "address");
    Connection.checkData(data, connectionDataSize);
    if (request != null) {
      throw new FabricException(
          Errno.EISCONN, this + " was opened for " + request + ": accept, or open another one");
    }
    NativeAddress.checkFormat(address, info().addressFormat(), domain());
    present.connect(address, data);
  }

  @Override
  public void accept(byte[] data) {
    ConnectedTraffic present = connecting();
    Connection.checkData(data, connectionDataSize);
    NativeConnectionRequest wanted = request;
    if (wanted == null) {
      throw invalid(
          this
              + " was not opened for a connection request: use the information of one, or connect");
    }
    present.accept(wanted, data);
  }

  @Override
  public void shutdown() {
    connecting().shutdown();
  }

  @Override
  public FabricAddress peer() {
    return connecting().peer();
  }

  @Override
  public int connectionDataSize() {
    lifetime.checkOpen();
    return connectionDataSize;
  }
}
