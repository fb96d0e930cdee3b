// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.net.InetAddress;

/** What resolving one host name came to. */
sealed interface HostAddress permits HostAddress.Found, Failure {
  /**
   * The host is known.
   *
   * @param address its best address that the vector can hold
   */
  record Found(InetAddress address) implements HostAddress {}
}
