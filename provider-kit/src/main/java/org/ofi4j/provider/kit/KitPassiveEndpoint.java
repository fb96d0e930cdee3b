// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.required;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;

/**
 * A passive endpoint as applications call it, over a {@link PassiveTransport}. Opening and closing
 * take the monitor of the object.
 */
final class KitPassiveEndpoint extends CoreObject implements PassiveEndpoint {
  private final KitFabric fabric;
  private final FabricInfo info;

  // Null while the endpoint is being opened, when no other thread knows of it.
  private volatile @Nullable PassiveTransport transport;

  private KitPassiveEndpoint(KitFabric fabric, FabricInfo info, @Nullable Object context) {
    super(context);
    this.fabric = fabric;
    this.info = info;
    lifetime.hold(fabric.lifetime());
  }

  static KitPassiveEndpoint open(KitFabric fabric, FabricInfo info, PassiveOptions options) {
    FabricAddress address = options.address();
    FabricInfo own = address == null ? info : info.withSource(address);
    KitPassiveEndpoint opened = new KitPassiveEndpoint(fabric, own, options.context());
    return opened(opened, () -> opened.listen(options));
  }

  private synchronized void listen(PassiveOptions options) {
    EventQueue queue = options.events();
    if (queue == null) {
      throw new FabricException(Errno.ENOEQ, this + " has no event queue: name one in the options");
    }
    CoreEventQueue events = Bound.use(this, CoreEventQueue.class, queue, queue.fabric(), fabric);
    transport = fabric.transport().listen(fabric, this, info, new Events(events), options);
  }

  private PassiveTransport transport() {
    lifetime.checkOpen();
    return Objects.requireNonNull(transport);
  }

  @Override
  public KitFabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public FabricAddress address() {
    return transport().name();
  }

  @Override
  public void reject(ConnectionHandle request, byte[] data) {
    PassiveTransport present = transport();
    required(request, "request");
    present.reject(request, KitConnectedEndpoint.checked(data, present.connectionDataSize()));
  }

  @Override
  public int connectionDataSize() {
    return transport().connectionDataSize();
  }

  @Override
  protected synchronized void release() {
    PassiveTransport present = transport;
    if (present != null) {
      present.close();
    }
  }

  @Override
  public String toString() {
    PassiveTransport present = transport;
    return "passive endpoint " + (present == null ? "being opened" : present.name());
  }
}
