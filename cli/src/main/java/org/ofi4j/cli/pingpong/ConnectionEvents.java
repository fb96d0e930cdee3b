// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;

/** How two endpoints that connect come together. For one thread. */
final class ConnectionEvents implements AutoCloseable {
  private final Fabric fabric;
  private final Duration timeout;
  private final EventQueue queue;

  ConnectionEvents(Fabric fabric, Duration timeout) {
    this.fabric = fabric;
    this.timeout = timeout;
    queue = fabric.openEventQueue();
  }

  EventQueue queue() {
    return queue;
  }

  PassiveEndpoint listen(FabricInfo info) {
    return fabric.openPassiveEndpoint(info, PassiveOptions.of(queue));
  }

  /** Waits for a peer that wants to connect. */
  Event.ConnectionRequest request() throws IOException {
    if (next("its connection request") instanceof Event.ConnectionRequest request) {
      return request;
    }
    throw new IOException("another event came than a connection request");
  }

  /** Waits until the connection is there. */
  void connected() throws IOException {
    if (!(next("its answer to the connection request") instanceof Event.Connected)) {
      throw new IOException("the connection ended before it was there");
    }
  }

  private Event next(String what) throws IOException {
    try {
      Event event = queue.read(timeout);
      if (event == null) {
        throw new IOException(
            "the other side did not send " + what + " within " + timeout.toSeconds() + " s");
      }
      return event;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for " + what);
    } catch (FabricException failed) {
      Event.Failure event = failed.errno() == Errno.EAVAIL ? queue.readError() : null;
      throw event == null ? failed : new FabricException(event.errno(), event.reason());
    }
  }

  @Override
  public void close() {
    queue.close();
  }
}
