// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;

/** {@code struct fid_ep}. */
public final class NativeEndpoint extends ConnectingObject {
  /** {@code fi_endpoint}, at the source of the information. */
  public NativeEndpoint(NativeDomain domain, NativeInfo info) {
    super(domain, "the endpoint", NativeFunction.DOMAIN_ENDPOINT, info);
  }

  /**
   * {@code fi_connect}; 0 or a negative errno.
   *
   * @param address packed, of the format that the endpoint has
   */
  public int connect(byte[] address, byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      long to = copy(arena, address);
      return call(NativeFunction.CM_CONNECT, to, copy(arena, data), data.length);
    }
  }

  /** {@code fi_accept}; 0 or a negative errno. */
  public int accept(byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      return call(NativeFunction.CM_ACCEPT, copy(arena, data), data.length, 0);
    }
  }

  /** {@code fi_shutdown}; 0 or a negative errno. */
  public int shutdown() {
    return call(NativeFunction.CM_SHUTDOWN, 0, 0, 0);
  }

  /** {@code fi_getpeer}: the packed address of the other side. */
  public byte[] peer() {
    return name(NativeFunction.CM_GETPEER, "its peer");
  }
}
