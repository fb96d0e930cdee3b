// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.BoundEndpoint;

/**
 * An endpoint that is reached at a socket, and whose data the engines of its queues move.
 *
 * @param <T> what it is from being opened until it is closed
 */
public abstract class SocketEndpoint<T extends Traffic> extends BoundEndpoint<EndpointDomain, T> {
  protected SocketEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, domain.lifetime(), info, context);
  }

  @Override
  protected FabricInfo at(FabricAddress address) {
    return EndpointAddress.at(address, info(), domain());
  }

  @Override
  protected void begin(T ready) {
    ready.join();
  }
}
