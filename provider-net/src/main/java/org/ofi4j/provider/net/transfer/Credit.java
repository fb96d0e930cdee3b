// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

/**
 * How much a peer may send over a connection before there are receives for it, in bytes since the
 * connection was opened. Guarded by the lock of the endpoint.
 */
public final class Credit {
  private long came;
  private long told;
  private final long step;

  /** The peer may send so many bytes at first. */
  public Credit(long bytes) {
    told = bytes;
    step = bytes / 2;
  }

  /** A message has come that was not announced. */
  public void came(long bytes) {
    came += bytes;
  }

  /**
   * Notes that the peer may send more, if that is much more than it knows.
   *
   * @param window how many bytes there is room for
   * @return up to which byte it may send; negative if there is nothing to tell
   */
  public long grant(long window) {
    long bytes = came + window;
    if (bytes - told <= step) {
      return -1;
    }
    told = bytes;
    return bytes;
  }
}
