// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.provider.kit.SocketAddressKey;

/**
 * From the address objects of channels to their packed forms. Keeps those of at most {@value #SETS}
 * times {@value #WAYS} senders, because the bytes of an address object are to be had as a new array
 * only; the vector is asked each time, because its entries come and go.
 *
 * <p>For one thread at a time: the endpoint's receive lock guards it.
 */
public final class SenderCache {
  public static final int WAYS = 4;
  public static final int SETS = 64;

  /** What is known of one sender; used again for another one. */
  private static final class Sender {
    private final SenderAddress packed = new SenderAddress();
    private @Nullable InetSocketAddress address;

    /** Whether this is a sender; the JDK takes addresses on different links for equal. */
    boolean is(InetSocketAddress other) {
      InetSocketAddress known = address;
      return known != null && known.equals(other) && scope(known) == scope(other);
    }

    private static int scope(InetSocketAddress address) {
      return address.getAddress() instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }
  }

  private final AddressFormat format;
  private final boolean ipv6;
  private final int interfaceIndex;
  private final SocketAddressKey key = new SocketAddressKey();
  private final @Nullable Sender[] known = new @Nullable Sender[SETS * WAYS];
  private Sender last = new Sender();
  private int turn;

  /**
   * For one endpoint.
   *
   * @param format how the vector's addresses are written
   * @param ipv6 which family the endpoint's channel is of
   * @param interfaceIndex the scope that link-local addresses may leave out
   */
  public SenderCache(AddressFormat format, boolean ipv6, int interfaceIndex) {
    this.format = format;
    this.ipv6 = ipv6;
    this.interfaceIndex = interfaceIndex;
  }

  /** Returns the packed form of a sender; good until the next call. */
  @SuppressWarnings("ReferenceEquality") // a channel gives the same object for the same sender
  public SenderAddress find(InetSocketAddress sender) {
    if (sender != last.address) {
      last = known(sender);
    }
    return last.packed;
  }

  private Sender known(InetSocketAddress sender) {
    int first = (((sender.hashCode() * 0x9E37_79B9) >>> 16) & (SETS - 1)) * WAYS;
    for (int slot = first; slot < first + WAYS; slot++) {
      Sender present = known[slot];
      if (present != null && present.is(sender)) {
        return present;
      }
    }
    int slot = first + (turn++ & (WAYS - 1));
    Sender replaced = known[slot];
    if (replaced == null) {
      replaced = new Sender();
      known[slot] = replaced;
    }
    replaced.address = sender;
    replaced.packed.set(sender, ipv6, format, interfaceIndex, key);
    return replaced;
  }
}
