// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;

/** {@code struct fid_pep}. */
public final class NativePassiveEndpoint extends ConnectingObject {
  /** {@code fi_passive_ep}, at the source of the information. */
  public NativePassiveEndpoint(NativeFabric fabric, NativeInfo info) {
    super(fabric, "the passive endpoint", NativeFunction.FABRIC_PASSIVE_EP, info);
  }

  /** {@code fi_listen}. */
  public void listen() {
    NativeErrors.check("listening", call(NativeFunction.CM_LISTEN, 0, 0, 0));
  }

  /**
   * {@code fi_reject}. The information of the request has no handle from then on.
   *
   * @return 0 or a negative errno
   */
  public int reject(NativeInfo request, byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      long handle = request.takeHandle();
      return call(NativeFunction.CM_REJECT, handle, copy(arena, data), data.length);
    }
  }
}
