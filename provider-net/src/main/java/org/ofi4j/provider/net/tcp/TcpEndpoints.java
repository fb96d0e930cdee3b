// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.ConnectionHandle;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.net.endpoint.NetResources;

/** Opens endpoints over TCP of types {@code RDM} and {@code MSG}, and what they share. */
public final class TcpEndpoints {
  private TcpEndpoints() {}

  /** Opens an endpoint of type {@code RDM} or {@code MSG}. */
  public static Transport open(NetResources resources, EndpointOpening opening) {
    if (opening.info().endpoint().type() == EndpointType.MSG) {
      return SharedReceives.opened(
          SharedReceives.of(opening), null, () -> MsgTransport.open(resources, opening));
    }
    Peers peers = opening.peers();
    return SharedReceives.opened(
        SharedReceives.of(opening),
        peers,
        () -> RdmTransport.open(resources, opening, SharedReceives.receiving(opening, peers)));
  }

  /** Refuses a connection request, unless an endpoint has it or it was answered. */
  public static void refuse(ConnectionHandle handle) {
    if (handle instanceof ConnectionRequest request) {
      try {
        request.claim();
      } catch (FabricException answered) {
        return;
      }
      MsgTransport.refuse(request);
    }
  }

  /** Opens receives that several endpoints share. */
  public static Receiver openSharedReceives(FabricInfo info, long minMultiReceive) {
    return new SharedReceives(info, minMultiReceive).receiver();
  }
}
