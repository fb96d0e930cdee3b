// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.Handles;

/**
 * The source of a message, as its completion reports it: filled by {@link Peers#findSource}, and
 * used again for the next message. For one thread at a time.
 */
public final class MessageSource {
  final org.ofi4j.core.av.MessageSource found = new org.ofi4j.core.av.MessageSource();

  /** A source that is not known. */
  public MessageSource() {}

  /** Becomes a source that is not known. */
  public void unknown() {
    found.unknown();
  }

  /**
   * Whether the sender is in the vector. If not, {@code FI_SOURCE_ERR} reports its address.
   *
   * @return true if the sender is in the vector
   */
  public boolean isKnown() {
    return found.isKnown();
  }

  /**
   * Returns the number that the completion names as the source.
   *
   * @return the user id, which may be any number; else the handle; {@link Handles#NOT_AVAILABLE} if
   *     the sender is unknown, or has no user id on a vector that reports nothing else (AV-096)
   */
  public long reported() {
    return found.reported();
  }
}
