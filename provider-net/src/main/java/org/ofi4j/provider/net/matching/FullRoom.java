// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import jdk.jfr.FlightRecorder;

/**
 * A message came early for which there is no room: its connection is not read from until receives
 * have made some.
 *
 * @param ofPeer whether the bound for one peer is reached; else that for all
 * @param kept bytes that are kept of the peer's messages, or of all
 * @param perPeer the bound for the peer
 * @param inAll the bound for all
 */
public record FullRoom(
    String peer, long size, boolean ofPeer, long kept, long perPeer, long inAll) {
  private static final Logger LOG = System.getLogger(FullRoom.class.getName());
  private static final boolean RECORDABLE = isRecordable();

  /** A runtime without module {@code jdk.jfr} is one in which nothing is recorded. */
  private static boolean isRecordable() {
    try {
      FlightRecorder.isInitialized();
      return true;
    } catch (LinkageError absent) {
      return false;
    }
  }

  /**
   * Writes a line to the log, and tells Flight Recorder. Without a lock: behind a logger may be an
   * application's code.
   *
   * @param endpoint where it came to
   */
  public void tell(Object endpoint) {
    // The first event class that a runtime loads takes it a good part of a second.
    if (RECORDABLE && FlightRecorder.isInitialized()) {
      new FullRoomEvent(endpoint.toString(), this).commit();
    }
    LOG.log(Level.WARNING, () -> endpoint + ": " + this);
  }

  @Override
  public String toString() {
    return "a message of "
        + size
        + " bytes from "
        + peer
        + " has no receive and no room: "
        + kept
        + " bytes are kept of messages "
        + (ofPeer
            ? "from this peer, and at most " + perPeer
            : "from all peers, and at most " + inAll)
        + " are. Nothing more is read from its connection until receives take messages: post them"
        + " in the order of sending, give a larger bound with ConnectionOptions.withEarlyMessages,"
        + " or insert the peer";
  }
}
