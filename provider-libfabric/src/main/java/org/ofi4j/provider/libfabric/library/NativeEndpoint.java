// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import org.ofi4j.provider.libfabric.library.ObjectStructs.ConnectionFunctions;

/** {@code struct fid_ep}; {@link TransferCalls} post operations to it. */
public final class NativeEndpoint extends ConnectingObject {
  NativeEndpoint(Libfabric library, long address) {
    super(library, "the endpoint", address);
  }

  /**
   * {@code fi_connect}; 0 or a negative errno.
   *
   * @param address packed, of the format that the endpoint has
   */
  public int connect(byte[] address, byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      long to = copy(arena, address).address();
      long parameters = copy(arena, data).address();
      return (int)
          library()
              .keepingSignals(() ->
                  Downcalls.call(
                      connecting(ConnectionFunctions.CONNECT, "connect"),
                      address(),
                      to,
                      parameters,
                      data.length));
    }
  }

  /** {@code fi_accept}; 0 or a negative errno. */
  public int accept(byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      long parameters = copy(arena, data).address();
      return (int)
          library()
              .keepingSignals(() ->
                  Downcalls.call(
                      connecting(ConnectionFunctions.ACCEPT, "accept"),
                      address(),
                      parameters,
                      data.length));
    }
  }

  /** {@code fi_shutdown}; 0 or a negative errno. */
  public int shutdown() {
    return (int) Downcalls.call(connecting(ConnectionFunctions.SHUTDOWN, "shutdown"), address(), 0);
  }

  /** {@code fi_getpeer}: the packed address of the other side. */
  public byte[] peer() {
    return name(connecting(ConnectionFunctions.GETPEER, "getpeer"), "its peer");
  }
}
