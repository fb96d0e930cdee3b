// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ContextAttributes;
import org.ofi4j.ContextOptions;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.TransportSecurity;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.ConnectionTimes;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * A scalable endpoint over TCP. Opening, enabling and closing, also of contexts, take the monitor
 * of the object; transfers go from a context straight to what all of them share.
 */
public final class RdmScalableEndpoint extends CoreObject implements ScalableEndpoint {
  private final EndpointDomain domain;
  private final FabricInfo info;
  private final int transmits;
  private final int receives;

  // Guarded by the monitor of this object.
  private @Nullable CoreAddressVector vector;
  private ConnectionTimes times = ConnectionTimes.DEFAULTS;
  private @Nullable TransportSecurity security;
  private EarlyMessages early = EarlyMessages.defaults();
  private final Map<Integer, RdmContext> transmitContexts = new HashMap<>();
  private final Map<Integer, RdmContext> receiveContexts = new HashMap<>();
  private final List<AutomaticProgress> movers = new ArrayList<>();

  // Written once; names are asked for without the monitor.
  private volatile @Nullable RdmTraffic enabled;

  public RdmScalableEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.info = info;
    transmits = count("tx_ctx_cnt", info.endpoint().transmitContexts());
    receives = count("rx_ctx_cnt", info.endpoint().receiveContexts());
    lifetime.hold(domain.lifetime());
  }

  /** One that is ready: what options say is bound to it. */
  public static RdmScalableEndpoint open(
      EndpointDomain domain, FabricInfo info, ScalableOptions options) {
    FabricAddress address = options.address();
    FabricInfo own = info;
    if (address != null) {
      EndpointAddress.checkSource(address, domain.info().addressFormat(), domain);
      own = info.withSource(address);
    }
    RdmScalableEndpoint opened = new RdmScalableEndpoint(domain, own, options.context());
    try {
      if (options.vector() != null) {
        opened.bind(options.vector());
      }
      opened.settle(options.connections());
      opened.enable();
      return opened;
    } catch (RuntimeException | Error refused) {
      opened.close();
      throw refused;
    }
  }

  private void settle(ConnectionOptions options) {
    connectTimeout(options.connectTimeout());
    peerTimeout(options.peerTimeout());
    earlyMessages(options.earlyMessages());
    if (options.idleTimeout() != null) {
      idleTimeout(options.idleTimeout());
    }
    if (options.security() != null) {
      secure(options.security());
    }
  }

  private static int count(String what, int wanted) {
    if (wanted < 0 || wanted > TcpLimits.CONTEXTS) {
      throw invalid(
          "%s %s: a scalable endpoint has 1 to %s of its own"
              .formatted(what, wanted, TcpLimits.CONTEXTS));
    }
    return Math.max(wanted, 1);
  }

  @Override
  public EndpointDomain domain() {
    return domain;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  public synchronized void bind(AddressVector boundVector, long flags) {
    lifetime.checkOpen();
    required(boundVector, "vector");
    if (flags != 0) {
      throw badFlags(flags, " for binding an address vector: must be 0");
    }
    if (boundVector.domain() != domain) {
      throw invalid(
          boundVector + " is of " + boundVector.domain() + ", but " + this + " of " + domain);
    }
    if (enabled != null) {
      throw invalid(this + " is enabled: bind " + boundVector + " before that");
    }
    if (vector != null) {
      throw invalid(this + " is bound to " + vector + " already, and has one address vector only");
    }
    if (!(boundVector instanceof CoreAddressVector own)) {
      throw invalid(boundVector + " is not of this provider");
    }
    lifetime.hold(own.lifetime());
    vector = own;
  }

  // Contexts.

  private static ContextOptions options(ContextAttributes attributes) {
    required(attributes, "attributes");
    return new ContextOptions(
        null, List.of(), attributes.capabilities(), attributes.size(), 0, null);
  }

  @Override
  public Endpoint openTransmitContext(int index, ContextAttributes attributes) {
    return transmitContext(index, options(attributes));
  }

  @Override
  public Endpoint openReceiveContext(int index, ContextAttributes attributes) {
    return receiveContext(index, options(attributes));
  }

  @Override
  public TransmitContext openTransmitContext(int index, ContextOptions options) {
    return RdmContext.opened(transmitContext(index, required(options, "options")), options);
  }

  @Override
  public ReceiveContext openReceiveContext(int index, ContextOptions options) {
    return RdmContext.opened(receiveContext(index, required(options, "options")), options);
  }

  private synchronized RdmContext transmitContext(int index, ContextOptions options) {
    lifetime.checkOpen();
    checkIndex("transmit", index, transmits, transmitContexts);
    FabricInfo half = ContextInfo.transmit(info, options);
    if (!half.has(Capability.SEND) && !half.has(Capability.READ) && !half.has(Capability.WRITE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    RdmContext opened = new RdmContext(this, half, index, options.context());
    transmitContexts.put(index, opened);
    return opened;
  }

  private synchronized RdmContext receiveContext(int index, ContextOptions options) {
    lifetime.checkOpen();
    checkIndex("receive", index, receives, receiveContexts);
    FabricInfo half = ContextInfo.receive(info, options);
    if (!half.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    RdmContext opened = new RdmContext(this, half, index, options.context());
    receiveContexts.put(index, opened);
    return opened;
  }

  private void checkIndex(String which, int index, int count, Map<Integer, RdmContext> present) {
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

  /** A context is closed, and its index can be used again. */
  synchronized void closed(RdmContext context) {
    transmitContexts.values().remove(context);
    receiveContexts.values().remove(context);
  }

  // From enabling to closing.

  /** The vector of all contexts; throws if there is none. */
  synchronized CoreAddressVector vector() {
    CoreAddressVector bound = vector;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: bind one before enabling it or a context");
    }
    return bound;
  }

  @Override
  public void enable() {
    traffic();
  }

  /** What all contexts share; opened when it is first needed. */
  synchronized RdmTraffic traffic() {
    // With the monitor, which closing takes: what is opened after that nobody would close.
    lifetime.checkOpen();
    RdmTraffic present = enabled;
    if (present == null) {
      present = open();
      present.bound(early);
      enabled = present;
      ProgressThread thread = domain.progressThread();
      if (thread != null) {
        // The thread moves its data also while no context has a queue.
        AutomaticProgress mover = new AutomaticProgress(thread);
        movers.add(mover);
        present.join(List.<NetProgress>of(mover));
      }
    }
    return present;
  }

  private RdmTraffic open() {
    TransferPeers peers = vector().peers();
    return RdmTraffic.open(
        new Opening(
            domain, info, new ConnectionSettings(this, null, times, security), null, null, null),
        vector(),
        info.has(Capability.RECEIVE) ? Receiving.scalable(peers, info, receives) : null);
  }

  private RdmTraffic ready(String otherwise) {
    lifetime.checkOpen();
    RdmTraffic present = enabled;
    if (present == null) {
      throw new FabricException(
          Errno.EOPBADSTATE, this + " " + otherwise + ": enable it or a context first");
    }
    return present;
  }

  @Override
  public FabricAddress name() {
    return ready("has no name yet").name();
  }

  private void checkSettable(String what) {
    lifetime.checkOpen();
    if (enabled != null) {
      throw invalid(this + " is enabled: " + what + " before that");
    }
  }

  @Override
  public synchronized void connectTimeout(Duration wanted) {
    checkSettable("say how long a connection may take");
    times = times.withConnect(wanted);
  }

  @Override
  public synchronized void earlyMessages(EarlyMessages bounds) {
    checkSettable("say how much is kept");
    early = required(bounds, "bounds");
  }

  @Override
  public synchronized void peerTimeout(Duration wanted) {
    checkSettable("say how long a peer may be silent");
    times = times.withPeer(wanted);
  }

  @Override
  public synchronized void idleTimeout(Duration wanted) {
    checkSettable("say when connections are closed");
    times = times.withIdle(wanted);
  }

  @Override
  public synchronized void secure(TransportSecurity wanted) {
    checkSettable("say how its connections are secured");
    security = required(wanted, "security");
  }

  @Override
  public void warmUp(long... handles) {
    ready("cannot connect yet").warmUp(required(handles, "handles"));
  }

  @Override
  protected synchronized void release() {
    RdmTraffic present = enabled;
    if (present != null) {
      present.close();
    }
    movers.forEach(AutomaticProgress::close);
  }

  @Override
  public String toString() {
    RdmTraffic present = enabled;
    return present == null
        ? "scalable endpoint of " + domain.info().domain().name() + ", not enabled"
        : "scalable " + present;
  }
}
