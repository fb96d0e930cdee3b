// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import static org.ofi4j.core.object.Misuse.unsupported;

import org.ofi4j.Endpoint;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.CoreObject;

/** Refuses what only endpoints do that have one peer, which they connect with. */
abstract class ConnectionlessEndpoint extends CoreObject implements Endpoint {
  @Override
  public void bind(EventQueue queue) {
    throw unconnected("has no events to report");
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    throw unconnected("does not connect");
  }

  @Override
  public void accept(byte[] data) {
    throw unconnected("does not connect");
  }

  @Override
  public void shutdown() {
    throw unconnected("does not connect");
  }

  @Override
  public FabricAddress peer() {
    throw unconnected("has no peer of its own");
  }

  @Override
  public int connectionDataSize() {
    throw unconnected("does not connect");
  }

  private FabricException unconnected(String what) {
    return unsupported(
        this + " is of type " + info().endpoint().type() + " and " + what + ": only type MSG does");
  }
}
