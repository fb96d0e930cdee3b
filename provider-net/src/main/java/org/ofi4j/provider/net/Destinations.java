package org.ofi4j.provider.net;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;

/**
 * From handles to the address objects that channels want. Keeps at most {@value #SETS} times
 * {@value #WAYS} of those, chosen by address, whatever the number of peers; the vector is asked
 * each time, so that a removed entry is never reached through what is kept.
 *
 * <p>For one thread at a time: the endpoint's transmit lock guards it.
 */
final class Destinations {
  static final int WAYS = 4;
  static final int SETS = 256;

  /** IPv4 is kept as IPv6 writes it, {@code ::ffff:a.b.c.d}: then three words tell all apart. */
  private static final long MAPPED = 0xFFFFL << 32;

  private static final int WORDS = 3;
  private static final long SCOPE = 0xFFFF_FFFFL << 32;
  private static final int PACKED = 28;

  private final CoreAddressVector vector;
  private final boolean ipv6;
  private final boolean dualStack;
  private final int interfaceIndex;
  private final AddressCodec codec = AddressCodec.of(AddressFormat.SOCKADDR);
  private final AddressKey key = new AddressKey();
  private final MemorySegment packed = MemorySegment.ofArray(new byte[PACKED]);

  // Way w of set s: words from (s * WAYS + w) * WORDS. Made for the first send.
  private long[] words = {};
  private @Nullable InetSocketAddress[] kept = {};
  private int turn;

  /**
   * For one endpoint.
   *
   * @param vector what handles refer to
   * @param ipv6 which family the endpoint's channel is of
   * @param dualStack whether an IPv6 channel also sends over IPv4
   * @param interfaceIndex scope of link-local addresses that have none
   */
  Destinations(CoreAddressVector vector, boolean ipv6, boolean dualStack, int interfaceIndex) {
    this.vector = vector;
    this.ipv6 = ipv6;
    this.dualStack = dualStack;
    this.interfaceIndex = interfaceIndex;
  }

  /** The address of a handle; throws if the handle has none that the endpoint can send to. */
  InetSocketAddress of(long handle) {
    if (vector.socketAddress(handle, packed) == 0) {
      throw unknown(handle);
    }
    if (codec.read(packed, 0, key) != 0) {
      throw new FabricException(
          Errno.EINVAL, describe(handle) + " is any address, and no peer has that one");
    }
    if (key.kind() == AddressKey.Kind.IPV4) {
      if (ipv6 && !dualStack) {
        throw otherFamily(handle, "IPv4", "IPv6");
      }
      return cached(0, MAPPED | key.ipv4() >>> 16, key.ipv4() & 0xFFFF);
    }
    if (!ipv6) {
      throw otherFamily(handle, "IPv6", "IPv4");
    }
    return cached(key.word(0), key.word(1), key.word(2));
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
    InetSocketAddress made = make(high, low, scopeAndPort);
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

  private InetSocketAddress make(long high, long low, long scopeAndPort) {
    int port = (int) scopeAndPort & 0xFFFF;
    if (high == 0 && low >>> 32 == MAPPED >>> 32) {
      return SocketAddresses.ofIpv4((int) low, port);
    }
    int scope = (int) ((scopeAndPort & SCOPE) >>> 32);
    boolean linkLocal = high >>> 54 == 0xFE80 >>> 6;
    return SocketAddresses.ofIpv6(
        high, low, port, linkLocal && scope == 0 ? interfaceIndex : scope);
  }

  private FabricException unknown(long handle) {
    return new FabricException(
        Errno.EINVAL,
        handle == Handles.NOT_AVAILABLE
            ? "destination is NOT_AVAILABLE, which an address that could not be inserted has"
            : describe(handle) + " names no entry: it was never inserted, or has been removed");
  }

  private static FabricException otherFamily(long handle, String its, String own) {
    return new FabricException(
        Errno.EINVAL,
        describe(handle) + " is an " + its + " address, but the endpoint sends over " + own);
  }

  private static String describe(long handle) {
    return "destination 0x" + Long.toHexString(handle);
  }
}
