// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

/** Which of two connections between the same endpoints stays. Both sides come to the same. */
final class ConnectionRules {
  /** What becomes of a request. */
  enum Verdict {
    /** It is accepted; there is no other connection. */
    ACCEPT,
    /** It is accepted, and the other connection goes. */
    REPLACE,
    /** It is refused, and the other connection stays. */
    REFUSE,
    /** It is our own: both connections stay, one for each direction. */
    LOOPBACK
  }

  private ConnectionRules() {}

  /**
   * Judges a request of a peer to which there is a connection.
   *
   * @param present how far that connection is
   * @param sameIncarnation whether that connection is to the same incarnation of the peer, as far
   *     as is known
   * @param refusedBefore whether a request was refused since that connection is open
   * @param own whether the request came over the other end of that connection
   * @param order the peer's address compared with our own: negative if it is the smaller one
   */
  static Verdict judge(
      Connection.State present,
      boolean sameIncarnation,
      boolean refusedBefore,
      boolean own,
      int order) {
    if (own) {
      return Verdict.LOOPBACK;
    }
    return switch (present) {
      // Both sides have asked at the same time: the request of the larger address stays. One from
      // our own address that is not ours is not to be believed.
      case CONNECTING, REQUESTED -> order <= 0 ? Verdict.REFUSE : Verdict.REPLACE;
      // A request may have crossed our own, which the peer has accepted since. An initiator that
      // asks a second
      // time has no other connection: it has lost this one, or it lives again under the same
      // number.
      case OPEN ->
          order != 0 && (!sameIncarnation || refusedBefore) ? Verdict.REPLACE : Verdict.REFUSE;
      case GREETING, CLOSED -> Verdict.REPLACE;
    };
  }

  /** Compares addresses as both sides do: the host's bytes as numbers, then the port. */
  static int compare(Peer peer, long high, long low, int port) {
    int hosts = Long.compareUnsigned(peer.high, high);
    if (hosts == 0) {
      hosts = Long.compareUnsigned(peer.low, low);
    }
    return hosts != 0 ? hosts : Integer.compare((int) peer.scopeAndPort & 0xFFFF, port);
  }
}
