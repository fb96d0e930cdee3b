// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

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

/** {@code FI_EP_MSG}: an endpoint with one peer, which it connects to or accepts. */
final class KitConnectedEndpoint extends KitEndpoint
    implements ConnectedEndpoint, Transmitting, TaggedReceiving {
  /** The request that it was opened for; null for an endpoint that connects. */
  private final @Nullable ConnectionHandle request;

  KitConnectedEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
    request = info.handle();
  }

  @Override
  void check(EndpointOptions options) {
    if (request != null && options.address() != null) {
      throw invalid(this + " was opened for " + request + ", and is where that went to");
    }
    if (options.connections().idleTimeout() != null) {
      throw unsupported(this + " has one connection, which its application opens and closes");
    }
    if (options.connections().security() != null && request != null) {
      throw invalid(this + " has what the passive endpoint has: secure that");
    }
  }

  @Override
  void checkBound(@Nullable Peers peers, @Nullable Events events) {
    if (events == null) {
      throw new FabricException(Errno.ENOEQ, this + " has no event queue: name one in the options");
    }
  }

  @Override
  void neverOpened() {
    if (request != null) {
      endpointDomain().transport().refuse(request);
    }
  }

  private ConnectedTransport connected() {
    return (ConnectedTransport) transport();
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    ConnectedTransport transport = connected();
    required(address, "address");
    byte[] kept = checked(data, transport.connectionDataSize());
    if (request != null) {
      throw new FabricException(
          Errno.EISCONN, this + " was opened for " + request + ": accept, or open another one");
    }
    transport.connect(address, kept);
  }

  @Override
  public void accept(byte[] data) {
    ConnectedTransport transport = connected();
    byte[] kept = checked(data, transport.connectionDataSize());
    if (request == null) {
      throw invalid(
          this
              + " was not opened for a connection request: use the information of one, or connect");
    }
    transport.accept(kept);
  }

  /** Refuses data that does not fit into a connection message; returns a copy of it. */
  static byte[] checked(byte[] data, int limit) {
    if (required(data, "data").length > limit) {
      throw invalid(
          "data of %s bytes: a connection message carries %s at most"
              .formatted(data.length, limit));
    }
    return data.clone();
  }

  @Override
  public void shutdown() {
    connected().shutdown();
  }

  @Override
  public FabricAddress peer() {
    return connected().peer();
  }

  @Override
  public int connectionDataSize() {
    return connected().connectionDataSize();
  }
}
