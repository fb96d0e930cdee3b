// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.DeliveryWord;

/**
 * Which sends can reach a peer: some peers must connect first, and not all take messages wherever
 * they are to go. Guarded by the lock of the endpoint.
 */
record Reach(PeerDirectory peers) {
  /** Refuses a handle to which no connection may be opened. */
  void check(Peer peer, long handle) {
    if (peers.isFirewalled(peer, handle)) {
      throw new FabricException(Errno.EFIREWALLADDR, behindFirewall(peer));
    }
  }

  private static String behindFirewall(Peer peer) {
    return "the peer " + peer + " is behind a firewall: it must connect first";
  }

  /**
   * A connection is lost: fails what waits for another one and may not open it. What the peer has
   * said of a firewall ends with the connection, as another one may live at its address next.
   */
  void failUnreachable(Peer peer) {
    Operations<Send> all = new Operations<>();
    all.takeAll(peer.waiting);
    for (Send send = all.poll(); send != null; send = all.poll()) {
      if (peer.firewalled || send.firewalled) {
        send.owner().fail(send, Errno.EFIREWALLADDR, behindFirewall(peer));
      } else {
        peer.waiting.add(send);
      }
    }
    peer.firewalled = false;
  }

  /** Whether the peer takes a message where it is to go; if not, the message has failed. */
  static boolean isTaken(Connection connection, Send send) {
    if (send.word() == DeliveryWord.NONE) {
      return true;
    }
    Agreement.Refusal refusal = connection.agreement().refusal(send.word());
    if (refusal != null) {
      send.owner()
          .fail(send, refusal.errno(), "the peer " + connection.peer + " " + refusal.reason());
    }
    return refusal == null;
  }

  /** Has an open connection send what waited for it. */
  static void addWaiting(Connection connection, Operations<Send> waiting) {
    for (Send send = waiting.poll(); send != null; send = waiting.poll()) {
      if (isTaken(connection, send)) {
        connection.writer().add(send);
      }
    }
  }
}
