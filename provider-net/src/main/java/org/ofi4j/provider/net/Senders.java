package org.ofi4j.provider.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;

/**
 * From the address objects of channels to handles. The packed form of the last sender is kept; the
 * vector is asked each time, because its entries come and go.
 *
 * <p>For one thread at a time: the endpoint's receive lock guards it.
 */
final class Senders {
  private static final int PACKED = 28;

  private final CoreAddressVector vector;
  private final AddressFormat format;
  private final boolean ipv6;
  private final int interfaceIndex;
  private final AddressKey key = new AddressKey();
  private final MemorySegment packed = MemorySegment.ofArray(new byte[PACKED]);
  private final MemorySegment otherwise = MemorySegment.ofArray(new byte[PACKED]);
  private int length;
  private boolean hasOther;
  private @Nullable InetSocketAddress last;

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

  /** The handle of a sender, or {@link Handles#NOT_AVAILABLE} if the vector does not have it. */
  @SuppressWarnings("ReferenceEquality") // the channel gives the same object for the same sender
  long find(InetSocketAddress sender) {
    if (sender != last) {
      pack(sender);
      last = sender;
    }
    long handle = vector.findSocketAddress(packed);
    return handle == Handles.NOT_AVAILABLE && hasOther
        ? vector.findSocketAddress(otherwise)
        : handle;
  }

  /** The sender that was last looked for, packed as the vector takes it. */
  byte[] packedLast() {
    if (format != AddressFormat.STR) {
      return packed.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }
    FabricAddress value = FabricAddress.of(AddressFormat.SOCKADDR, packed.asSlice(0, length));
    return (value + "\0").getBytes(StandardCharsets.UTF_8);
  }

  private void pack(InetSocketAddress sender) {
    SocketAddresses.read(sender, ipv6 && format == AddressFormat.SOCKADDR_IN6, key);
    length = AddressCodec.socketAddress(key, packed);
    hasOther = false;
    if (key.kind() == AddressKey.Kind.IPV4) {
      if (ipv6) {
        // A vector of both families may hold an IPv4 peer in the dress of IPv6.
        SocketAddresses.read(sender, true, key);
        hasOther = true;
      }
    } else if ((int) (key.word(2) >>> 32) == interfaceIndex) {
      // Text has no room for a scope, and an address from elsewhere was given without.
      key.setIpv6(key.word(0), key.word(1), (int) key.word(2) & 0xFFFF, 0, 0);
      hasOther = true;
    }
    if (hasOther) {
      AddressCodec.socketAddress(key, otherwise);
    }
  }
}
