// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Peers;

/**
 * From handles to the address objects that channels want. Keeps at most {@value #SETS} times
 * {@value #WAYS} of those, chosen by address, whatever the number of peers; the vector is asked
 * each time, so that a removed entry is never reached through what is kept.
 *
 * <p>For one thread at a time: the endpoint's transmit lock guards it.
 */
public final class Destinations {
  public static final int WAYS = 4;
  public static final int SETS = 256;

  private static final int WORDS = 3;

  private final TargetAddress target;

  // Way w of set s: words from (s * WAYS + w) * WORDS. Made for the first send.
  private long[] words = {};
  private @Nullable InetSocketAddress[] kept = {};
  private int turn;

  /**
   * For one endpoint.
   *
   * @param ipv6 which family the endpoint's channel is of
   * @param dualStack whether an IPv6 channel also sends over IPv4
   * @param interfaceIndex scope of link-local addresses that have none
   */
  public Destinations(Peers peers, boolean ipv6, boolean dualStack, int interfaceIndex) {
    target = new TargetAddress(peers, ipv6, dualStack, interfaceIndex);
  }

  /** The address of a handle; throws if the handle has none that the endpoint can send to. */
  public InetSocketAddress of(long handle) {
    target.resolve(handle, "destination");
    return cached(target.high(), target.low(), target.scopeAndPort());
  }

  private InetSocketAddress cached(long high, long low, long scopeAndPort) {
    if (words.length == 0) {
      words = new long[SETS * WAYS * WORDS];
      kept = new @Nullable InetSocketAddress[SETS * WAYS];
    }
    int first = set(high, low, scopeAndPort) * WAYS;
    for (int entry = first; entry < first + WAYS; entry++) {
      InetSocketAddress found = kept[entry];
      int word = entry * WORDS;
      if (found != null
          && words[word] == high
          && words[word + 1] == low
          && words[word + 2] == scopeAndPort) {
        return found;
      }
    }
    int entry = first + (turn++ & WAYS - 1);
    InetSocketAddress made = target.toSocketAddress();
    int word = entry * WORDS;
    words[word] = high;
    words[word + 1] = low;
    words[word + 2] = scopeAndPort;
    kept[entry] = made;
    return made;
  }

  private static int set(long high, long low, long scopeAndPort) {
    long mixed = (high * 31 + low) * 31 + scopeAndPort;
    mixed *= 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32) & SETS - 1;
  }
}
