// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.Handles;

/**
 * Where a message came from, as its completion reports it: filled by {@link
 * TransferPeers#findSource}, used again for the next message, for one thread at a time.
 */
public final class MessageSource {
  private long reported = Handles.NOT_AVAILABLE;
  private int index = -1;

  /** A source that is not known. */
  public MessageSource() {}

  /** Becomes a source that is not known. */
  public void unknown() {
    known(-1, Handles.NOT_AVAILABLE);
  }

  void known(int entry, long value) {
    index = entry;
    reported = value;
  }

  /** The index of its entry; negative if it is unknown. */
  int index() {
    return index;
  }

  /** Whether the sender is in the vector. If not, {@code FI_SOURCE_ERR} reports its address. */
  public boolean isKnown() {
    return index >= 0;
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
