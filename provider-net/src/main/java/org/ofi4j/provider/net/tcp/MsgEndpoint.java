// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.wire.ConnectionMessage;

/** {@code FI_EP_MSG} over TCP: messages to one peer, with which the application connects it. */
public final class MsgEndpoint extends WholeEndpoint<MsgTraffic> implements ConnectedEndpoint {
  private final @Nullable ConnectionRequest request;

  private MsgEndpoint(
      EndpointDomain domain,
      FabricInfo info,
      @Nullable Object context,
      @Nullable ConnectionRequest request) {
    super(domain, info, context);
    this.request = request;
  }

  /** One that nothing is bound to yet; of a request, which nobody else can take then. */
  public static MsgEndpoint of(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    ConnectionHandle handle = info.handle();
    if (handle == null) {
      return new MsgEndpoint(domain, info, context, null);
    }
    if (!(handle instanceof ConnectionRequest wanted)) {
      throw invalid(handle + " is no connection request of this provider");
    }
    wanted.claim();
    try {
      return new MsgEndpoint(domain, info, context, wanted);
    } catch (RuntimeException | Error failed) {
      MsgTraffic.refuse(wanted);
      throw failed;
    }
  }

  @Override
  protected void bind(EndpointOptions options) {
    if (options.connections().idleTimeout() != null) {
      throw unsupported(this + " has one connection, which its application opens and closes");
    }
    if (options.connections().security() != null && request != null) {
      throw invalid(this + " has what the passive endpoint has: secure that");
    }
    super.bind(options);
  }

  @Override
  protected FabricInfo at(FabricAddress address) {
    if (request != null) {
      throw invalid(this + " was opened for " + request + ", and is where that went to");
    }
    return super.at(address);
  }

  @Override
  protected MsgTraffic open(@Nullable Binding out, @Nullable Binding in) {
    CoreEventQueue bound = events();
    if (bound == null) {
      throw new FabricException(Errno.ENOEQ, this + " has no event queue: name one in the options");
    }
    SharedReceives sharing = shared();
    Opening opening = opening(out, in, sharing);
    MsgTraffic opened =
        SharedReceives.opened(sharing, null, () -> MsgTraffic.open(opening, bound, request));
    goThrough(opened.transmit(), opened.receive());
    return opened;
  }

  @Override
  protected void neverOpened() {
    ConnectionRequest unanswered = request;
    if (unanswered != null) {
      MsgTraffic.refuse(unanswered);
    }
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    lifetime.checkOpen();
    required(address, "address");
    ConnectionMessage.checkData(data);
    if (request != null) {
      throw new FabricException(
          Errno.EISCONN, this + " was opened for " + request + ": accept, or open another one");
    }
    ready().connect(SocketAddresses.of(address), data.clone());
  }

  @Override
  public void accept(byte[] data) {
    lifetime.checkOpen();
    ConnectionMessage.checkData(data);
    ConnectionRequest wanted = request;
    if (wanted == null) {
      throw invalid(
          this
              + " was not opened for a connection request: use the information of one, or connect");
    }
    ready().accept(wanted, data);
  }

  @Override
  public void shutdown() {
    ready().shutdown();
  }

  @Override
  public FabricAddress peer() {
    return ready().peer();
  }

  @Override
  public int connectionDataSize() {
    lifetime.checkOpen();
    return ConnectionMessage.MAX_DATA;
  }
}
