// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * What becomes of messages that come before a receive is posted for them: how much of them an
 * endpoint keeps, and which messages it announces to peers rather than sending them. Where a bound
 * is reached the connection of the message is not read from until receives have made room; a line
 * in the log and an event of Flight Recorder say so.
 *
 * <p>Immutable; the methods with a parameter give a changed copy.
 *
 * @param perPeer bytes that are kept of the messages of one peer in the address vector, from 4,096
 *     to 2<sup>30</sup>. Each message counts as 4,096 bytes at least. Of a peer that is not in the
 *     vector no more than {@value #STRANGER} are kept
 * @param inAll bytes that are kept of the messages of all peers, from 4,096 to 2<sup>40</sup>. All
 *     peers that are not in the vector together have a quarter of it
 * @param announced tagged messages of more bytes than that are announced to endpoints of ofi4j,
 *     from 0 to 2<sup>62</sup>: the peer keeps the announcement alone, and asks for the message
 *     when a receive takes it
 * @param announcedToLibfabric tagged messages of more bytes than that are announced to programs on
 *     libfabric from 1.20 on, from 0 to 2<sup>62</sup>. Such a program crashes if it looks for an
 *     announced message with {@code FI_PEEK} and {@code FI_CLAIM} or {@code FI_DISCARD}. One that
 *     sets {@code FI_TCP_MAX_SAVED_SIZE} keeps no larger messages and does not read past them: give
 *     that number here
 */
public record EarlyMessages(long perPeer, long inAll, long announced, long announcedToLibfabric) {
  /** Bytes that are kept of the messages of a peer that is not in the address vector. */
  public static final long STRANGER = 1L << 20;

  private static final long LEAST = 1L << 12;
  private static final long MOST_PER_PEER = 1L << 30;
  private static final long MOST_IN_ALL = 1L << 40;
  private static final long MOST_ANNOUNCED = 1L << 62;
  private static final EarlyMessages DEFAULTS =
      new EarlyMessages(1L << 26, 1L << 27, 1L << 20, MOST_ANNOUNCED);

  /** Checks the bounds. */
  public EarlyMessages {
    check("perPeer", perPeer, LEAST, MOST_PER_PEER);
    check("inAll", inAll, LEAST, MOST_IN_ALL);
    check("announced", announced, 0, MOST_ANNOUNCED);
    check("announcedToLibfabric", announcedToLibfabric, 0, MOST_ANNOUNCED);
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new FabricException(
          Errno.EINVAL, name + " " + value + ": give from " + least + " to " + most + " bytes");
    }
  }

  /**
   * What holds unless the application says otherwise: 64 MiB for each peer, 128 MiB in all, and
   * messages of more than 1 MiB are announced to endpoints of ofi4j, none to programs on libfabric.
   *
   * @return the bounds
   */
  public static EarlyMessages defaults() {
    return DEFAULTS;
  }

  /**
   * {@return a copy with another bound for each peer}
   *
   * @param bytes from 4,096 to 2<sup>30</sup>
   */
  public EarlyMessages withPerPeer(long bytes) {
    return new EarlyMessages(bytes, inAll, announced, announcedToLibfabric);
  }

  /**
   * {@return a copy with another bound for all peers}
   *
   * @param bytes from 4,096 to 2<sup>40</sup>
   */
  public EarlyMessages withInAll(long bytes) {
    return new EarlyMessages(perPeer, bytes, announced, announcedToLibfabric);
  }

  /**
   * {@return a copy with another size from which messages are announced to endpoints of ofi4j}
   *
   * @param bytes from 0 to 2<sup>62</sup>
   */
  public EarlyMessages withAnnounced(long bytes) {
    return new EarlyMessages(perPeer, inAll, bytes, announcedToLibfabric);
  }

  /**
   * {@return a copy with another size from which messages are announced to programs on libfabric}
   *
   * @param bytes from 0 to 2<sup>62</sup>
   */
  public EarlyMessages withAnnouncedToLibfabric(long bytes) {
    return new EarlyMessages(perPeer, inAll, announced, bytes);
  }
}
