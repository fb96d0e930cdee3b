package org.ofi4j.provider.net.tcp;

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
   * Judges a request of a peer.
   *
   * @param present how far our connection to that peer is; null if there is none
   * @param sameLife whether that connection is to the same life of the peer, as far as is known
   * @param order the peer's address compared with our own: negative if it is the smaller one
   */
  static Verdict judge(
      Connection.@org.jspecify.annotations.Nullable State present, boolean sameLife, int order) {
    if (present == null) {
      return Verdict.ACCEPT;
    }
    return switch (present) {
      // Both sides have asked at the same time: the request of the larger address stays.
      case CONNECTING, REQUESTED ->
          order == 0 ? Verdict.LOOPBACK : order < 0 ? Verdict.REFUSE : Verdict.REPLACE;
      case OPEN -> order == 0 ? Verdict.LOOPBACK : sameLife ? Verdict.REFUSE : Verdict.REPLACE;
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
