// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import org.jspecify.annotations.Nullable;

/** What a comparison with libfabric needs is not on this machine; the message says what to do. */
public final class LibfabricUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception whose message says what to install. */
  public LibfabricUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
