// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.provider.net.endpoint.EndpointDomain;

/**
 * Receives that endpoints over TCP share: the checks of what is posted. What is posted when nobody
 * shares it any more is forgotten with it.
 */
public final class TcpSharedReceiveContext extends CoreObject
    implements SharedReceiveContext, ReceiveHalf {
  private final EndpointDomain domain;
  private final FabricInfo info;
  private final SharedReceives receives;
  private final ReceivePosts untagged;
  private final ReceivePosts tagged;

  @SuppressWarnings("this-escape") // kept for later
  public TcpSharedReceiveContext(
      EndpointDomain domain, FabricInfo info, SharedReceiveOptions options) {
    super(options.context());
    if (!info.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP,
          "information without capability RECEIVE opens no shared receive context: ask for it");
    }
    this.domain = domain;
    this.info = info;
    receives = new SharedReceives(info);
    untagged = posts(false);
    tagged = posts(true);
    lifetime.hold(domain.lifetime());
    if (options.minMultiReceive() > 0) {
      ReceivePosts.minMultiReceive(receives, receives.context(), options.minMultiReceive());
    }
  }

  private ReceivePosts posts(boolean withTag) {
    // Where there are authorization keys, no receives are shared.
    return new ReceivePosts(withTag, domain, info, false, this::open, receives::context);
  }

  private ReceivePoint open() {
    lifetime.checkOpen();
    return receives;
  }

  SharedReceives receives() {
    return receives;
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
  public boolean cancel(@Nullable Object context) {
    lifetime.checkOpen();
    return ReceivePosts.cancel(receives, receives.context(), context);
  }

  @Override
  public String toString() {
    return "shared receive context of " + domain.info().domain().name();
  }

  @Override
  public ReceivePosts untagged() {
    return untagged;
  }

  @Override
  public ReceivePosts tagged() {
    return tagged;
  }
}
