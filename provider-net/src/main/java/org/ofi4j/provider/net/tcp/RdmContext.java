// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.ContextOptions;
import org.ofi4j.EarlyMessages;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TransportSecurity;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.transfer.TransmitContext;

/**
 * One context of a scalable endpoint: an endpoint that does one half, over what all contexts share.
 */
final class RdmContext extends TcpEndpoint<RdmTraffic> {
  private final RdmScalableEndpoint whole;
  private final boolean receives;
  private final int index;
  private @Nullable TransmitContext sends;

  // What moves the data while it is enabled; guarded by the monitor of this object.
  private List<NetProgress> engines = List.of();

  /**
   * A context, not yet enabled.
   *
   * @param info says which half it does
   */
  RdmContext(RdmScalableEndpoint whole, FabricInfo info, int index, @Nullable Object context) {
    super(whole.domain(), info, context);
    this.whole = whole;
    this.index = index;
    receives = info.has(Capability.RECEIVE);
    lifetime.hold(whole.lifetime());
  }

  /** Binds what options say to a context, and opens it for traffic. */
  static RdmContext opened(RdmContext context, ContextOptions options) {
    return opened(context, () -> context.bind(options));
  }

  private void bind(ContextOptions options) {
    bind(options.queue(), receives ? BindFlag.RECEIVE : BindFlag.TRANSMIT);
    bind(options.counters());
    leaveRest(options.minMultiReceive());
  }

  @Override
  protected void checkHasVector(AddressVector wanted) {
    throw invalid(this + " has the address vector of " + whole + ": bind " + wanted + " there");
  }

  @Override
  public synchronized void bind(SharedReceiveContext context) {
    lifetime.checkOpen();
    throw invalid(this + " is a context itself: " + context + " can be bound to endpoints only");
  }

  @Override
  protected void checkNameable() {
    throw invalid(
        this + " has the name of " + whole + ": open that with an information that says another");
  }

  private FabricException shared(String what) {
    lifetime.checkOpen();
    return invalid(this + " shares its connections: say " + what + " to " + whole);
  }

  @Override
  public synchronized void connectTimeout(Duration wanted) {
    throw shared("the timeout");
  }

  @Override
  public synchronized void earlyMessages(EarlyMessages bounds) {
    throw shared("how much is kept");
  }

  @Override
  public synchronized void peerTimeout(Duration wanted) {
    throw shared("the timeout");
  }

  @Override
  public synchronized void idleTimeout(Duration wanted) {
    throw shared("the timeout");
  }

  @Override
  public synchronized void secure(TransportSecurity wanted) {
    throw shared("how they are secured");
  }

  @Override
  public void warmUp(long... handles) {
    ready("cannot connect yet").warmUp(required(handles, "handles"));
  }

  @Override
  protected synchronized CoreAddressVector vector() {
    return whole.vector();
  }

  /** Takes part in what all contexts share. */
  @Override
  protected RdmTraffic open(@Nullable Binding transmit, @Nullable Binding receive) {
    RdmTraffic shared = whole.traffic();
    engines = Binding.engines(transmit, receive).toList();
    if (receive != null) {
      goThrough(null, shared.open(index, receive, info()));
    }
    if (transmit != null) {
      TransmitContext opened = new TransmitContext(transmit, info().transmit().size());
      shared.open(opened);
      sends = opened;
      goThrough(opened, null);
    }
    return shared;
  }

  @Override
  protected String wayTo(Capability missing) {
    if (receives) {
      return "open a transmit context of " + whole;
    }
    return missing == Capability.RECEIVE
        ? "open a receive context of " + whole
        : super.wayTo(missing);
  }

  @Override
  protected synchronized void begin(RdmTraffic shared) {
    applyRest(shared);
    shared.join(engines);
  }

  @Override
  protected void end(RdmTraffic shared) {
    TransmitContext opened = sends;
    try {
      if (opened != null) {
        shared.close(opened);
      } else if (receives) {
        shared.close(index);
      }
    } finally {
      shared.part(engines);
      whole.closed(this);
    }
  }

  @Override
  protected void neverEnabled() {
    whole.closed(this);
  }

  @Override
  public String toString() {
    return (receives ? "receive context " : "transmit context ") + index + " of " + whole;
  }
}
