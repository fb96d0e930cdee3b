// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.core.object.CoreObject;

/**
 * Receives that several endpoints share, as applications post them. A receive that is posted when
 * no endpoint shares them any more is dropped with them.
 */
final class KitSharedReceiveContext extends CoreObject
    implements SharedReceiveContext, TaggedReceiving {
  private final EndpointDomain domain;
  private final FabricInfo info;
  private final Receiver receiver;
  private final ReceivePosts receives;

  @SuppressWarnings("this-escape") // kept for later
  KitSharedReceiveContext(EndpointDomain domain, FabricInfo info, SharedReceiveOptions options) {
    super(options.context());
    if (!info.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP,
          "information without capability RECEIVE opens no shared receive context: ask for it");
    }
    this.domain = domain;
    this.info = info;
    receiver =
        domain.transport().openSharedReceives(domain.domain(), info, options.minMultiReceive());
    // Endpoints with authorization keys share no receives.
    receives = new ReceivePosts(domain, info, false, this::open);
    lifetime.hold(domain.lifetime());
  }

  private Receiver open() {
    lifetime.checkOpen();
    return receiver;
  }

  Receiver receiver() {
    return receiver;
  }

  @Override
  public ReceivePosts receives() {
    return receives;
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    return receives.cancel(context);
  }

  @Override
  public Domain domain() {
    return domain.domain();
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public String toString() {
    return "shared receive context of " + domain.info().domain().name();
  }
}
