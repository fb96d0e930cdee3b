// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A message came early for which there is no room, as Flight Recorder shows it. */
@Name(FullRoomEvent.NAME)
@Label("Early Message Without Room")
@Category({"ofi4j", "Endpoint"})
@Description(
    "A message came before its receive, and there is no room for it: its connection is not read")
@StackTrace(false)
final class FullRoomEvent extends Event {
  static final String NAME = "org.ofi4j.EarlyMessageWithoutRoom";

  @Label("Endpoint")
  final String endpoint;

  @Label("Peer")
  final String peer;

  @Label("Size")
  @DataAmount
  final long size;

  @Label("Bound of the Peer")
  @Description("Whether the bound for one peer is reached; else that for all")
  final boolean ofPeer;

  @Label("Kept")
  @DataAmount
  final long kept;

  FullRoomEvent(String endpoint, FullRoom full) {
    this.endpoint = endpoint;
    peer = full.peer();
    size = full.size();
    ofPeer = full.senders().equals(FullRoom.PEER);
    kept = full.kept();
  }
}
