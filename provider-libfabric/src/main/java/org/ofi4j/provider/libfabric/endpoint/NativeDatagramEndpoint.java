// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.FabricInfo;

/** {@code FI_EP_DGRAM} over libfabric. */
public final class NativeDatagramEndpoint extends NativeMessageEndpoint
    implements DatagramEndpoint {
  public NativeDatagramEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }
}
