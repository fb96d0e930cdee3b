// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.queue.CoreEventQueue;

/** A fabric that has event queues, and domains of whatever kind a test wants. */
public final class TestFabric implements Fabric {
  private final Lifetime lifetime = new Lifetime(this, () -> {});

  public Lifetime lifetime() {
    return lifetime;
  }

  @Override
  public FabricInfo info() {
    return TestInfo.defaults().build();
  }

  @Override
  public Domain openDomain(FabricInfo info, @Nullable Object context) {
    return new TestDomain(this, info);
  }

  @Override
  public EventQueue openEventQueue(EventQueueOptions options) {
    return new CoreEventQueue(this, lifetime, options);
  }

  @Override
  public PassiveEndpoint openPassiveEndpoint(FabricInfo info, PassiveOptions options) {
    throw new FabricException(Errno.ENOSYS, "a test fabric has no passive endpoints");
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
    return "test fabric";
  }
}
