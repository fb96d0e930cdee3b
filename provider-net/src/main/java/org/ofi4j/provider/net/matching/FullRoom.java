// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.ofi4j.provider.kit.FlightRecording;

/**
 * A message came early for which there is no room: its connection is not read from until receives
 * have made some.
 *
 * @param senders the senders whose bound is reached: {@link #PEER}, {@link #STRANGERS} or {@link
 *     #ALL}
 * @param kept bytes that are kept of the messages of those senders
 * @param most the bound for those senders
 */
public record FullRoom(String peer, long size, String senders, long kept, long most) {
  static final String PEER = "this peer";
  static final String STRANGERS = "all peers that are not in the vector";
  static final String ALL = "all peers";

  private static final Logger LOG = System.getLogger(FullRoom.class.getName());

  /**
   * Writes a line to the log, and tells Flight Recorder. Without a lock: behind a logger may be an
   * application's code.
   *
   * @param endpoint where it came to
   */
  public void tell(Object endpoint) {
    if (FlightRecording.isActive()) {
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
        + " bytes are kept of messages from "
        + senders
        + ", and at most "
        + most
        + " are. Nothing more is read from its connection until receives take messages: post them"
        + " in the order of sending, give a larger bound with ConnectionOptions.withEarlyMessages,"
        + " or insert the peer";
  }
}
