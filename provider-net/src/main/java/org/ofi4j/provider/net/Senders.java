package org.ofi4j.provider.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.MessageSource;

/**
 * From the address objects of channels to handles. Keeps the packed form of at most {@value #SETS}
 * times {@value #WAYS} senders, because the bytes of an address object are to be had as a new array
 * only; the vector is asked each time, because its entries come and go.
 *
 * <p>For one thread at a time: the endpoint's receive lock guards it.
 */
final class Senders {
  static final int WAYS = 4;
  static final int SETS = 64;

  private static final int PACKED = 28;

  /** What is known of one sender; used again for another one. */
  private static final class Sender {
    private final MemorySegment packed = MemorySegment.ofArray(new byte[PACKED]);
    private final MemorySegment otherwise = MemorySegment.ofArray(new byte[PACKED]);
    private @Nullable InetSocketAddress address;
    private int length;
    private boolean hasOther;

    /** Whether this is a sender; the JDK takes addresses on different links for equal. */
    boolean is(InetSocketAddress other) {
      InetSocketAddress known = address;
      return known != null && known.equals(other) && scope(known) == scope(other);
    }

    private static int scope(InetSocketAddress address) {
      return address.getAddress() instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }
  }

  private final CoreAddressVector vector;
  private final AddressFormat format;
  private final boolean ipv6;
  private final int interfaceIndex;
  private final AddressKey key = new AddressKey();
  private final MessageSource source = new MessageSource();
  private final @Nullable Sender[] known = new @Nullable Sender[SETS * WAYS];
  private Sender last = new Sender();
  private int turn;

  /**
   * For one endpoint.
   *
   * @param vector where senders are looked for
   * @param ipv6 which family the endpoint's channel is of
   * @param interfaceIndex the scope that link-local addresses may leave out
   */
  Senders(CoreAddressVector vector, boolean ipv6, int interfaceIndex) {
    this.vector = vector;
    this.format = vector.format();
    this.ipv6 = ipv6;
    this.interfaceIndex = interfaceIndex;
  }

  /** What the vector has of a sender; good until the next call. */
  @SuppressWarnings("ReferenceEquality") // a channel gives the same object for the same sender
  MessageSource find(InetSocketAddress sender) {
    if (sender != last.address) {
      last = known(sender);
    }
    if (!vector.findSource(last.packed, source) && last.hasOther) {
      vector.findSource(last.otherwise, source);
    }
    return source;
  }

  /** What is reported where sources are not: unknown. */
  MessageSource none() {
    source.unknown();
    return source;
  }

  /** The sender that was last looked for, packed as the vector takes it. */
  byte[] packedLast() {
    MemorySegment address = last.packed.asSlice(0, last.length);
    return format == AddressFormat.STR
        ? (FabricAddress.of(AddressFormat.SOCKADDR, address) + "\0")
            .getBytes(StandardCharsets.UTF_8)
        : address.toArray(ValueLayout.JAVA_BYTE);
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
    pack(sender, replaced);
    return replaced;
  }

  private void pack(InetSocketAddress sender, Sender into) {
    into.address = sender;
    SocketAddresses.read(sender, ipv6 && format == AddressFormat.SOCKADDR_IN6, key);
    into.length = AddressCodec.socketAddress(key, into.packed);
    into.hasOther = false;
    if (key.kind() == AddressKey.Kind.IPV4) {
      if (ipv6) {
        // A vector of both families may hold an IPv4 peer in the dress of IPv6.
        SocketAddresses.read(sender, true, key);
        into.hasOther = true;
      }
    } else if ((int) (key.word(2) >>> 32) == interfaceIndex) {
      // Text has no room for a scope, and an address from elsewhere was given without.
      key.setIpv6(key.word(0), key.word(1), (int) key.word(2) & 0xFFFF, 0, 0);
      into.hasOther = true;
    }
    if (into.hasOther) {
      AddressCodec.socketAddress(key, into.otherwise);
    }
  }
}
