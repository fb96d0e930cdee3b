// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Turns host names into network addresses for {@link AddressVector#insertService} and its kin, and
 * for {@link Hints}. The default asks the JDK's resolver.
 *
 * <p>Is called from several threads at once, never while a lock of a vector is held, and never for
 * numeric addresses. A call that outlives {@link VectorOptions#resolutionTimeout} is interrupted
 * and its answer dropped.
 */
@FunctionalInterface
public interface AddressResolver {
  /**
   * The addresses of a host.
   *
   * @param host a host name, never a numeric address
   * @return its addresses, best first; those of a family that the vector cannot hold are passed
   *     over
   * @throws UnknownHostException if the host has none
   * @throws InterruptedException if the caller no longer waits
   */
  List<InetAddress> resolve(String host) throws UnknownHostException, InterruptedException;

  /** {@return a resolver that knows no name, so that hosts are numeric: {@code FI_NUMERICHOST}} */
  static AddressResolver numericOnly() {
    return host -> {
      throw new UnknownHostException("only numeric addresses are taken (FI_NUMERICHOST)");
    };
  }
}
