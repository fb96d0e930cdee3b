// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;

/** A connection is closed because nobody needs it, as both sides have agreed. */
final class ClosedIdleException extends IOException {
  private static final long serialVersionUID = 1L;

  ClosedIdleException() {
    super("nobody needs it");
  }
}
