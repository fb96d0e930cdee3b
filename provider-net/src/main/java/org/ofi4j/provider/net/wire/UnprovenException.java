// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

/** The other side has not proven that it holds a key which it should hold. */
public final class UnprovenException extends ProtocolException {
  private static final long serialVersionUID = 1L;

  public UnprovenException(String message) {
    super(message);
  }
}
