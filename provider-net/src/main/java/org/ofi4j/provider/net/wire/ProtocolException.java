// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.io.IOException;

/** A peer sent what the protocol does not have; its connection is closed, and nothing else. */
public class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  public ProtocolException(String message) {
    super(message);
  }

  /** Where it was thrown tells nothing that the message does not, and anybody can cause many. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
