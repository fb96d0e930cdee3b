// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.required;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReliableEndpoint;

/** {@code FI_EP_RDM}: messages arrive once, whole, and in the order of sending. */
final class KitReliableEndpoint extends KitEndpoint
    implements ReliableEndpoint, Transmitting, TaggedReceiving {
  KitReliableEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  @Override
  public void warmUp(long... handles) {
    transport().warmUp(required(handles, "handles"));
  }
}
