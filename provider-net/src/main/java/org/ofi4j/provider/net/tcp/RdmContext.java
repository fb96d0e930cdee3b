// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.EarlyMessages;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TransportSecurity;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.progress.NetProgress;

/**
 * One context of a scalable endpoint: an endpoint that does one half, over what all contexts share.
 */
abstract sealed class RdmContext extends TcpEndpoint<RdmTraffic>
    permits RdmTransmitContext, RdmReceiveContext {
  private final RdmScalableEndpoint whole;
  private final String name;

  // What moves the data while it is enabled; guarded by the monitor of this object.
  private List<NetProgress> engines = List.of();

  RdmContext(RdmScalableEndpoint whole, FabricInfo info, String name) {
    super(whole.domain(), info);
    this.whole = whole;
    this.name = name;
    lifetime.hold(whole.lifetime());
  }

  final RdmScalableEndpoint whole() {
    return whole;
  }

  @Override
  protected final void checkHasVector(AddressVector wanted) {
    throw invalid(this + " has the address vector of " + whole + ": bind " + wanted + " there");
  }

  @Override
  public final synchronized void bind(SharedReceiveContext context) {
    lifetime.checkOpen();
    throw invalid(this + " is a context itself: " + context + " can be bound to endpoints only");
  }

  @Override
  protected final void checkNameable() {
    throw invalid(
        this + " has the name of " + whole + ": open that with an information that says another");
  }

  private FabricException shared(String what) {
    return invalid(this + " shares its connections: say " + what + " to " + whole);
  }

  @Override
  public final synchronized void connectTimeout(Duration wanted) {
    lifetime.checkOpen();
    throw shared("the timeout");
  }

  @Override
  public final synchronized void earlyMessages(EarlyMessages bounds) {
    lifetime.checkOpen();
    throw shared("how much is kept");
  }

  @Override
  public final synchronized void peerTimeout(Duration wanted) {
    lifetime.checkOpen();
    throw shared("the timeout");
  }

  @Override
  public final synchronized void idleTimeout(Duration wanted) {
    lifetime.checkOpen();
    throw shared("the timeout");
  }

  @Override
  public final synchronized void secure(TransportSecurity wanted) {
    lifetime.checkOpen();
    throw shared("how they are secured");
  }

  @Override
  public final void warmUp(long... handles) {
    ready("cannot connect yet").warmUp(required(handles, "handles"));
  }

  @Override
  protected final synchronized CoreAddressVector vector() {
    return whole.vector();
  }

  /** Takes part in what all contexts share. */
  @Override
  protected final RdmTraffic open(@Nullable Binding transmit, @Nullable Binding receive) {
    RdmTraffic shared = whole.traffic();
    engines = Binding.engines(transmit, receive).toList();
    attach(shared, transmit, receive);
    return shared;
  }

  abstract void attach(RdmTraffic shared, @Nullable Binding transmit, @Nullable Binding receive);

  abstract void detach(RdmTraffic shared);

  @Override
  protected final synchronized void begin(RdmTraffic shared) {
    shared.join(engines);
  }

  @Override
  protected final void end(RdmTraffic shared) {
    try {
      detach(shared);
    } finally {
      shared.part(engines);
      whole.closed(this);
    }
  }

  @Override
  protected final void neverEnabled() {
    whole.closed(this);
  }

  @Override
  public final String toString() {
    return name + " of " + whole;
  }
}
