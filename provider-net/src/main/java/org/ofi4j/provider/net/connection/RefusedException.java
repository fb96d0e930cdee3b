// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import org.ofi4j.Errno;

/** A peer does not want the connection that it was asked for. */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  /** What sends fail with if no other connection opens in time. */
  final Errno errno;

  RefusedException(Errno errno, String reason) {
    super(reason);
    this.errno = errno;
  }
}
