// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A connection has moved into shared memory, as Flight Recorder shows it. */
@Name(SharedMemoryEvent.NAME)
@Label("Connection in Shared Memory")
@Category({"ofi4j", "Endpoint"})
@Description("A connection to a peer on this host goes through shared memory from now on")
@StackTrace(false)
final class SharedMemoryEvent extends Event {
  static final String NAME = "org.ofi4j.ConnectionInSharedMemory";

  @Label("Endpoint")
  final String endpoint;

  @Label("Peer")
  final String peer;

  SharedMemoryEvent(String endpoint, String peer) {
    this.endpoint = endpoint;
    this.peer = peer;
  }
}
