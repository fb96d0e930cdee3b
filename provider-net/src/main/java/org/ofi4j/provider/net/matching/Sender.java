// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.transfer.Link;

/**
 * Another endpoint as those know it who match its messages: its address and key, and what is kept
 * of its messages. What distinguishes senders is the three words of {@link
 * org.ofi4j.provider.net.endpoint.TargetAddress}, of which the third has the authorization key
 * between scope and port. Guarded by the lock of the endpoint, or of all that share the receives.
 */
public class Sender {
  public final long high;
  public final long low;
  public final long scopeAndPort;

  /**
   * The authorization key under which it is spoken to, by number; {@link Peers#NO_AUTH_KEY} where
   * there are none. An endpoint under two keys is two senders, who have nothing in common but the
   * address.
   */
  public final int authKey;

  /** Its address as the vector may have it. */
  public final SenderAddress packed;

  /**
   * What receives are directed at: the sender itself; or if endpoints share receives, what stands
   * for this sender with all of them.
   */
  public Sender origin = this;

  /** As an origin: how many senders to endpoints it stands for. */
  int members;

  /** Messages of it that are kept, or on their way to where they are, in the order of arrival. */
  final MatchQueue<Message> kept = new MatchQueue<>(Matchable.SENT);

  long unexpectedBytes;

  /** The number of times that it was started again, as far as that was noticed. */
  int lives;

  /** Whether its messages count as those of a stranger, whom the vector does not have. */
  boolean isStranger;

  /** Posted receives that take messages of this sender only. */
  int directedReceives;

  /** Whether room for its messages was made while some of them were paused; a list of such. */
  boolean isRelieved;

  @Nullable Sender nextRelieved;

  /** Whether it is looked at again because there would be room for its messages in the vector. */
  boolean isUninserted;

  /**
   * A sender.
   *
   * @param scopeKeyAndPort {@code scope << 32 | (authKey + 1) << 16 | port}
   */
  public Sender(long high, long low, long scopeKeyAndPort, int authKey, SenderAddress packed) {
    this.high = high;
    this.low = low;
    this.scopeAndPort = scopeKeyAndPort;
    this.authKey = authKey;
    this.packed = packed;
  }

  /** The connection to it over which we send, and it too unless it is ourselves; or null. */
  public @Nullable Link link() {
    return null;
  }

  /** The other connection to it, if it is the endpoint itself; null if there is none. */
  public @Nullable Link loopback() {
    return null;
  }

  public final void standBehind(Sender common) {
    origin = common;
    common.members++;
  }

  public final boolean is(long upper, long lower, long scopedPort) {
    return high == upper && low == lower && scopeAndPort == scopedPort;
  }

  /** Finds what a vector has of its address, under its key; false if it has nothing. */
  public final boolean find(Peers peers, MessageSource into) {
    return packed.find(peers, authKey, into);
  }

  /** What stands for its key in a {@link MatchKey}. */
  public final long matchedKey() {
    return authKey + 1L;
  }

  /** Whether messages of it wait for a receive. */
  public final boolean hasKept() {
    return !kept.isEmpty();
  }

  /** Whether nothing would be lost with it. */
  public boolean isForgettable() {
    return !hasKept() && directedReceives == 0 && members == 0;
  }

  /** Is forgotten, and needs nobody to stand for it. */
  public final void forgotten() {
    if (!origin.equals(this)) {
      origin.members--;
    }
  }
}
