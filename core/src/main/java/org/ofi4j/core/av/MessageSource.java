// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.Handles;

/**
 * Where a message came from, as its completion reports it: filled by {@link
 * TransferPeers#findSource}, used again for the next message, for one thread at a time.
 */
public final class MessageSource {
  private long reported = Handles.NOT_AVAILABLE;
  private boolean known;

  /** A source that is not known. */
  public MessageSource() {}

  /** Becomes a source that is not known. */
  public void unknown() {
    known = false;
    reported = Handles.NOT_AVAILABLE;
  }

  void known(long value) {
    known = true;
    reported = value;
  }

  /**
   * Whether the sender is in the vector. If not, {@code FI_SOURCE_ERR} reports its address.
   *
   * @return true if it is
   */
  public boolean isKnown() {
    return known;
  }

  /**
   * What the completion names as the source.
   *
   * @return the user id, which may be any number; else the handle; {@link Handles#NOT_AVAILABLE} if
   *     the sender is unknown, or has no user id on a vector that reports nothing else (AV-096)
   */
  public long reported() {
    return reported;
  }
}
