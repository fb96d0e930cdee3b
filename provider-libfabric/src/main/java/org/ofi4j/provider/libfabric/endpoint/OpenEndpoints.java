// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;

/** The endpoints that are open on a domain. The lock of the domain guards them. */
final class OpenEndpoints {
  /** One of them. */
  record Entry(NativeEndpoint endpoint, Lifetime lifetime) {}

  private final List<Entry> entries = new ArrayList<>();

  void add(NativeEndpoint endpoint, Lifetime lifetime) {
    entries.add(new Entry(endpoint, lifetime));
  }

  void remove(Lifetime closed) {
    entries.removeIf(each -> each.lifetime.equals(closed));
  }

  /**
   * The one that memory is registered for, where a fabric has regions of endpoints.
   *
   * @throws FabricException with {@link Errno#EINVAL} if it is not clear which one
   */
  Entry only() {
    if (entries.size() != 1) {
      throw new FabricException(
          Errno.EINVAL,
          "the fabric registers memory for one endpoint each, and the domain has "
              + entries.size()
              + ": open one, then register");
    }
    return entries.getFirst();
  }
}
