// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.libfabric.library.NativeAddress;

/** What endpoints need of the domain that they are on. */
public interface EndpointDomain extends Domain {
  /** Held by the domain's endpoints. */
  Lifetime lifetime();

  /** What everything on the domain works with. */
  DomainResources resources();

  /** The peers of a vector of this domain as libfabric knows them. */
  VectorPeers peers(CoreAddressVector vector);

  /** Returns the backend of a queue of this domain. */
  ReportedQueue backend(CoreCompletionQueue queue);

  /** The thread that moves data; null if those who read the queues do. */
  @Nullable Thread mover();

  /** How many bytes of immediate data messages carry. */
  default int dataSize() {
    return resources().dataSize();
  }

  /** What libfabric is asked for, of what information says. */
  long nativeCapabilities(FabricInfo info);

  /** Whether libfabric can count what peers do to memory here, for an endpoint. */
  boolean countsAccesses(FabricInfo info);

  /** An address as libfabric packs it. */
  default FabricAddress address(byte[] packed) {
    return NativeAddress.of(info().addressFormat(), packed);
  }
}
