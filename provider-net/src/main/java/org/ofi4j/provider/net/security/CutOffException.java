// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.io.EOFException;

/** A connection with TLS has ended and its peer has not said so: anybody may have cut it. */
public final class CutOffException extends EOFException {
  private static final long serialVersionUID = 1;

  public CutOffException() {
    super("TLS: it was cut off, the peer has not said that it ends");
  }
}
