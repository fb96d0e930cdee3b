package org.ofi4j.provider.net;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueAttributes;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.net.endpoint.Required;

/** One network that this host is on. */
final class NetFabric implements Fabric {
  private final FabricInfo info;
  private final Protocol protocol;
  private final Lifetime lifetime = new Lifetime(this, () -> {});

  NetFabric(FabricInfo info) {
    Protocol of = Protocol.of(info.fabric().provider());
    if (of == null) {
      throw new FabricException(
          Errno.EINVAL,
          "information of provider \""
              + info.fabric().provider()
              + "\" does not open a fabric of udp or tcp");
    }
    this.info = info;
    protocol = of;
  }

  Protocol protocol() {
    return protocol;
  }

  Lifetime lifetime() {
    return lifetime;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public Domain openDomain(FabricInfo domainInfo) {
    lifetime.checkOpen();
    Required.value(domainInfo, "info");
    if (!domainInfo.fabric().equals(info.fabric())) {
      throw new FabricException(
          Errno.EINVAL, "information of " + domainInfo.fabric() + " does not fit " + this);
    }
    return new NetDomain(this, domainInfo);
  }

  @Override
  public EventQueue openEventQueue(EventQueueAttributes attributes) {
    lifetime.checkOpen();
    return new CoreEventQueue(this, lifetime, Required.value(attributes, "attributes"));
  }

  @Override
  public @Nullable Object context() {
    return null;
  }

  @Override
  public boolean isOpen() {
    return lifetime.isOpen();
  }

  @Override
  public void close() {
    lifetime.close();
  }

  @Override
  public String toString() {
    return "fabric " + info.fabric().provider() + " " + info.fabric().name();
  }
}
