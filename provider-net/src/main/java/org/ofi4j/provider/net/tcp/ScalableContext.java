// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ContextOptions;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.endpoint.Traffic;
import org.ofi4j.provider.net.progress.NetProgress;

/** One context of a scalable endpoint: it does one half, over what all contexts share. */
abstract class ScalableContext extends TcpEndpoint<RdmTraffic> {
  final ContextOwner whole;
  final int index;

  // What moves the data; written while the context is being opened.
  private List<NetProgress> engines = List.of();

  /**
   * A context that nothing is bound to yet.
   *
   * @param info says which half it does
   */
  ScalableContext(ContextOwner whole, FabricInfo info, int index, @Nullable Object context) {
    super(whole.domain(), info, context);
    this.whole = whole;
    this.index = index;
    try {
      lifetime.hold(whole.lifetime());
    } catch (FabricException closing) {
      lifetime.close();
      throw closing;
    }
  }

  /** Binds what options say to a context, and begins its traffic. */
  static <C extends ScalableContext> C opened(C context, ContextOptions options) {
    return opened(
        context,
        () ->
            context.open(() -> {
              context.bind(options.queue(), context instanceof ReceiveHalf, options.counters());
              context.leaveRest(options.minMultiReceive());
            }));
  }

  /** Takes part in what all contexts share. */
  @Override
  protected final RdmTraffic open(@Nullable Binding out, @Nullable Binding in) {
    RdmTraffic shared = whole.traffic();
    engines = Traffic.engines(out, in).toList();
    join(shared, out, in);
    return shared;
  }

  /** Opens the half that it does. */
  abstract void join(RdmTraffic shared, @Nullable Binding out, @Nullable Binding in);

  /** Closes the half that it does. */
  abstract void part(RdmTraffic shared);

  @Override
  protected final void begin(RdmTraffic shared) {
    shared.join(engines);
    applyRest(shared);
  }

  @Override
  protected final void end(RdmTraffic shared) {
    try {
      part(shared);
    } finally {
      shared.part(engines);
      whole.closed(this);
    }
  }

  @Override
  protected final void neverOpened() {
    whole.closed(this);
  }
}
