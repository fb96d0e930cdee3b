// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.endpoint.EndpointDomain;

/**
 * An endpoint over TCP that is no context: it has connections of its own, however it comes by them.
 *
 * @param <T> what it is from being opened until it is closed
 */
abstract class WholeEndpoint<T extends MessageTraffic> extends TcpEndpoint<T>
    implements TransmitHalf, ReceiveHalf {
  // What is bound, while the endpoint is being opened.
  private ConnectionOptions connections = ConnectionOptions.defaults();
  private @Nullable CoreEventQueue events;
  private @Nullable TcpSharedReceiveContext shared;

  WholeEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  @Override
  protected void bind(EndpointOptions options) {
    super.bind(options);
    if (options.minMultiReceive() > 0 && (shared != null || !info().has(Capability.RECEIVE))) {
      throw invalid(
          "minMultiReceive is for an endpoint with receives of its own: give it to the shared"
              + " receive context");
    }
    connections = options.connections();
    leaveRest(options.minMultiReceive());
  }

  @Override
  protected final void bind(SharedReceiveContext context) {
    shared = use(TcpSharedReceiveContext.class, context, context.domain(), domain());
    if (!info().has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
  }

  @Override
  protected final void bind(EventQueue queue) {
    events = use(CoreEventQueue.class, queue, queue.fabric(), domain().fabric());
  }

  /** Where connections are reported; null if nobody wants to know. */
  final @Nullable CoreEventQueue events() {
    return events;
  }

  /** The receives that the endpoint shares with others, or null if it has its own. */
  final @Nullable SharedReceives shared() {
    TcpSharedReceiveContext bound = shared;
    if (bound == null
        && info().endpoint().receiveContexts() == EndpointAttributes.SHARED_CONTEXT
        && info().has(Capability.RECEIVE)) {
      throw invalid(
          this
              + " was opened with SHARED_CONTEXT for its receives: name a shared receive context in"
              + " the options");
    }
    return bound == null ? null : bound.receives();
  }

  /** What its traffic is opened with. */
  final Opening opening(
      @Nullable Binding out, @Nullable Binding in, @Nullable SharedReceives sharing) {
    ConnectionSettings settings = ConnectionSettings.of(this, events, connections);
    return new Opening(domain(), info(), settings, out, in, sharing);
  }

  @Override
  protected final ConnectionStatistics connections(T present) {
    return present.totals().statistics();
  }

  /** Before data is moved, so that no message is kept under other bounds. */
  @Override
  protected final void begin(T ready) {
    ready.bound(connections.earlyMessages());
    applyRest(ready);
    super.begin(ready);
  }
}
