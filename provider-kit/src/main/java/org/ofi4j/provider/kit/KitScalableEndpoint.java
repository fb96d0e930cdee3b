// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.core.object.CoreObject;

/**
 * A scalable endpoint as applications call it, over a {@link ScalableTransport}: opens and closes
 * contexts, which take the monitor of the object. Transfers go from a context to its own transport.
 */
final class KitScalableEndpoint extends CoreObject implements ScalableEndpoint {
  /** A context, which is an endpoint with one direction. */
  private abstract static class Context extends KitEndpoint {
    private final KitScalableEndpoint whole;
    private final String name;

    Context(KitScalableEndpoint whole, FabricInfo half, String name, @Nullable Object context) {
      super(whole.domain, half, context);
      this.whole = whole;
      this.name = name;
    }

    @Override
    protected synchronized void release() {
      whole.closed(this);
      super.release();
    }

    @Override
    public String toString() {
      return name + " of " + whole;
    }
  }

  /** A context that sends, reads and writes. */
  private static final class Transmits extends Context implements TransmitContext, Transmitting {
    Transmits(KitScalableEndpoint whole, FabricInfo half, int index, @Nullable Object context) {
      super(whole, half, "transmit context " + index, context);
    }
  }

  /** A context that receives. */
  private static final class Receives extends Context implements ReceiveContext, TaggedReceiving {
    Receives(KitScalableEndpoint whole, FabricInfo half, int index, @Nullable Object context) {
      super(whole, half, "receive context " + index, context);
    }
  }

  private final EndpointDomain domain;
  private final FabricInfo info;
  private final int transmits;
  private final int receives;

  // Guarded by the monitor of this object.
  private final Map<Integer, KitEndpoint> transmitContexts = new HashMap<>();
  private final Map<Integer, KitEndpoint> receiveContexts = new HashMap<>();
  private @Nullable Peers peers;

  // Null while the endpoint is being opened, when no other thread knows of it.
  private volatile @Nullable ScalableTransport transport;

  private KitScalableEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.info = info;
    transmits =
        count(
            "tx_ctx_cnt",
            info.endpoint().transmitContexts(),
            domain.info().domain().maxEndpointTransmitContexts());
    receives =
        count(
            "rx_ctx_cnt",
            info.endpoint().receiveContexts(),
            domain.info().domain().maxEndpointReceiveContexts());
    lifetime.hold(domain.lifetime());
  }

  private static int count(String what, int wanted, int most) {
    if (wanted < 0 || wanted > most) {
      throw invalid(
          "%s %s: a scalable endpoint has 1 to %s of its own".formatted(what, wanted, most));
    }
    return Math.max(wanted, 1);
  }

  static KitScalableEndpoint open(EndpointDomain domain, FabricInfo info, ScalableOptions options) {
    FabricAddress address = options.address();
    FabricInfo own = address == null ? info : info.withSource(address);
    if (address != null) {
      domain.transport().check(own);
    }
    KitScalableEndpoint opened = new KitScalableEndpoint(domain, own, options.context());
    return opened(opened, () -> opened.open(options));
  }

  private synchronized void open(ScalableOptions options) {
    AddressVector vector = options.vector();
    if (vector == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: name one in the options");
    }
    Peers bound = Bound.vector(this, vector, domain.domain());
    peers = bound;
    ScalableTransport opened =
        domain
            .transport()
            .openScalable(
                new EndpointOpening(
                    this,
                    domain.domain(),
                    domain.regions(),
                    info,
                    null,
                    null,
                    bound,
                    null,
                    options.connections(),
                    0,
                    null));
    transport = opened;
    opened.begin();
  }

  @Override
  public Domain domain() {
    return domain.domain();
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  // Contexts.

  @Override
  public TransmitContext openTransmitContext(int index, ContextOptions options) {
    return open(true, index, options, half -> new Transmits(this, half, index, options.context()));
  }

  @Override
  public ReceiveContext openReceiveContext(int index, ContextOptions options) {
    return open(false, index, options, half -> new Receives(this, half, index, options.context()));
  }

  private <C extends Context> C open(
      boolean sends, int index, ContextOptions options, Function<FabricInfo, C> made) {
    C context = added(sends, index, required(options, "options"), made);
    return opened(context, () -> context.open(options, index, boundPeers(), transport()));
  }

  private synchronized Peers boundPeers() {
    return Objects.requireNonNull(peers);
  }

  /** Adds a context that is not open yet, of one half of the information. */
  private synchronized <C extends Context> C added(
      boolean sends, int index, ContextOptions options, Function<FabricInfo, C> made) {
    lifetime.checkOpen();
    if (sends && options.minMultiReceive() > 0) {
      throw invalid("minMultiReceive is for receive contexts: a transmit context takes no message");
    }
    Map<Integer, KitEndpoint> contexts = sends ? transmitContexts : receiveContexts;
    checkIndex(sends ? "transmit" : "receive", index, sends ? transmits : receives, contexts);
    FabricInfo half = ContextInfo.of(sends, info, options, domain.transport().maxQueueSize());
    if (sends ? !KitEndpoint.isSending(half) : !half.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP,
          this
              + (sends
                  ? " only receives: ask for capability SEND too"
                  : " only sends: ask for capability RECEIVE too"));
    }
    C context = made.apply(half);
    contexts.put(index, context);
    return opened(context, () -> context.lifetime().hold(lifetime));
  }

  private void checkIndex(String which, int index, int count, Map<Integer, KitEndpoint> present) {
    if (index < 0 || index >= count) {
      throw invalid(
          "index %s: %s has %s contexts 0 to %s; ask for more in the hints"
              .formatted(index, this, which, count - 1));
    }
    if (present.containsKey(index)) {
      throw new FabricException(
          Errno.EBUSY, which + " context " + index + " of " + this + " is open: close it first");
    }
  }

  private synchronized void closed(KitEndpoint context) {
    transmitContexts.values().remove(context);
    receiveContexts.values().remove(context);
  }

  // Calls.

  private ScalableTransport transport() {
    lifetime.checkOpen();
    return Objects.requireNonNull(transport);
  }

  @Override
  public FabricAddress address() {
    return transport().name();
  }

  @Override
  public ConnectionStatistics statistics() {
    return transport().connectionStatistics();
  }

  @Override
  public void warmUp(long... handles) {
    transport().warmUp(required(handles, "handles"));
  }

  @Override
  protected synchronized void release() {
    ScalableTransport present = transport;
    if (present != null) {
      present.close();
    }
  }

  @Override
  public String toString() {
    ScalableTransport present = transport;
    return present == null
        ? "scalable endpoint of " + domain.info().domain().name() + ", being opened"
        : "scalable endpoint " + present.name();
  }
}
