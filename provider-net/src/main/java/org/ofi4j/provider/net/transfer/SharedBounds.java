// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.ofi4j.EarlyMessages;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Bounds that the connections of an endpoint have in common: which messages they announce before
 * they send them, and how many bytes those of them keep that are paused. Guarded by the lock of the
 * endpoint.
 */
public final class SharedBounds {
  private long announced = EarlyMessages.defaults().announced();
  private long kept;

  /** Tagged messages of more bytes than that are announced, if the peer has agreed to it. */
  public void announced(long bytes) {
    announced = bytes;
  }

  long announced() {
    return announced;
  }

  /** A paused connection keeps so many bytes more, or fewer. */
  void keeps(int more) {
    kept += more;
  }

  /** Whether connections keep so much that no more is read than there is a use for. */
  boolean keepsMuch() {
    return kept >= TcpLimits.KEPT_BYTES;
  }
}
