// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.SocketAddressKey;

/**
 * The address that a handle stands for, as three words that tell all addresses apart: IPv4 as IPv6
 * writes it, {@code ::ffff:a.b.c.d}, and a scope only where one counts. The vector is asked each
 * time, so that a removed entry is never reached.
 *
 * <p>A scratch object for one thread at a time.
 */
public final class TargetAddress {
  private static final int PACKED = 28;

  private final Peers peers;
  private final boolean ipv6;
  private final boolean dualStack;
  private final int interfaceIndex;
  private final SocketAddressKey key = new SocketAddressKey();
  // In native memory, which lookups are made for.
  private final MemorySegment packed = Arena.ofAuto().allocate(PACKED, Long.BYTES);
  private long high;
  private long low;
  private long scopeAndPort;

  /**
   * For one endpoint.
   *
   * @param ipv6 which family the endpoint's socket is of
   * @param dualStack whether an IPv6 socket also speaks IPv4
   * @param interfaceIndex scope of link-local addresses that have none
   */
  public TargetAddress(Peers peers, boolean ipv6, boolean dualStack, int interfaceIndex) {
    this.peers = peers;
    this.ipv6 = ipv6;
    this.dualStack = dualStack;
    this.interfaceIndex = interfaceIndex;
  }

  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  /** {@code scope << 32 | port}. */
  public long scopeAndPort() {
    return scopeAndPort;
  }

  /**
   * Becomes the address of a handle; throws if it has none that the endpoint can have to do with.
   *
   * @param role what the application calls the handle
   */
  public void resolve(long handle, String role) {
    if (peers.socketAddress(handle, packed) == 0) {
      throw unknown(handle, role);
    }
    read(handle, role);
  }

  /**
   * The same, of a vector with authorization keys.
   *
   * @return the number of the key that the entry is under, or {@link Peers#NO_AUTH_KEY}
   */
  public int resolveWithKey(long handle, String role) {
    long found = peers.keyedSocketAddress(handle, packed);
    if ((int) found == 0) {
      throw unknown(handle, role);
    }
    read(handle, role);
    return (int) (found >> Integer.SIZE);
  }

  private void read(long handle, String role) {
    if (!key.read(packed)) {
      throw invalid(describe(handle, role) + " is any address, and no peer has that one");
    }
    if (key.isIpv4()) {
      if (ipv6 && !dualStack) {
        throw otherFamily(handle, role, "IPv4", "IPv6");
      }
      set(0, SocketAddresses.MAPPED | key.ipv4() >>> 16, key.ipv4() & 0xFFFF);
    } else if (!ipv6) {
      throw otherFamily(handle, role, "IPv6", "IPv4");
    } else {
      set(key.high(), key.low(), key.scopeAndPort());
    }
  }

  /** Whether the entry of a handle means any address, which vectors of the first edition allow. */
  public boolean isAny(long handle) {
    return peers.socketAddress(handle, packed) != 0 && !key.read(packed);
  }

  /**
   * Becomes the address of a peer that connected.
   *
   * @param host its host, as the kernel says
   * @param port the port that it listens on, as it says itself
   */
  public void of(InetSocketAddress host, int port) {
    SocketAddresses.read(host, true, key);
    set(key.high(), key.low(), (key.scopeAndPort() & ~0xFFFFL) | port);
  }

  private void set(long upper, long lower, long scopedPort) {
    high = upper;
    low = lower;
    int port = (int) scopedPort & 0xFFFF;
    int scope = (int) (scopedPort >>> 32);
    long counts;
    if (upper >>> 54 == 0xFE80 >>> 6) {
      counts = scope == 0 ? interfaceIndex : scope;
    } else {
      // Of one link too are some groups; elsewhere a scope is noise.
      counts = upper >>> 56 == 0xFF ? scope : 0;
    }
    scopeAndPort = counts << 32 | port;
  }

  public InetSocketAddress toSocketAddress() {
    return toSocketAddress(high, low, scopeAndPort);
  }

  /**
   * Returns the address that three words stand for.
   *
   * @param scopeAndPort {@code scope << 32 | port}; bits 16 to 31 do not count
   */
  public static InetSocketAddress toSocketAddress(long high, long low, long scopeAndPort) {
    int port = (int) scopeAndPort & 0xFFFF;
    return high == 0 && low >>> 32 == SocketAddresses.MAPPED >>> 32
        ? SocketAddresses.ofIpv4((int) low, port)
        : SocketAddresses.ofIpv6(high, low, port, (int) (scopeAndPort >>> 32));
  }

  private FabricException unknown(long handle, String role) {
    return invalid(
        handle == Handles.NOT_AVAILABLE
            ? role + " is NOT_AVAILABLE: it was not given, or its address could not be inserted"
            : describe(handle, role) + reason(handle));
  }

  private String reason(long handle) {
    if (peers.isAnySource(handle)) {
      return " is any source in peer group " + peers.group(handle) + ": only receives take that";
    }
    return peers.group(handle) < 0
        ? peers.unfitting(handle)
        : " names no entry: it was never inserted, or has been removed, or bits above its index"
            + " name a receive context that cannot be named here";
  }

  private static FabricException otherFamily(long handle, String role, String its, String own) {
    return invalid(
        describe(handle, role) + " is an " + its + " address, but the endpoint works over " + own);
  }

  private static String describe(long handle, String role) {
    return role + " 0x" + Long.toHexString(handle);
  }
}
