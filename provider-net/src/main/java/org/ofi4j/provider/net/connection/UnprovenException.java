// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import org.ofi4j.provider.net.wire.ProtocolException;

/** The other side has not proven that it holds a key which it should hold. */
final class UnprovenException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  public UnprovenException(String message) {
    super(message);
  }
}
