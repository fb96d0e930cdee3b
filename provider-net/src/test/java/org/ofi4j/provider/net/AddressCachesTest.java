// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.Handles;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.Destinations;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.SenderCache;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/** What is kept of addresses is bounded, and never stands for another address. */
class AddressCachesTest {
  private static final long SEED = 20260726;
  private static final int PEERS = 5_000;
  private static final int LOOK_UPS = 50_000;

  private final Random random = new Random(SEED);

  /** IPv4 and IPv6 peers, close together and apart. */
  private List<FabricAddress> peers() {
    List<FabricAddress> peers = new ArrayList<>();
    for (int i = 0; i < PEERS; i++) {
      peers.add(
          switch (i % 4) {
            case 0 -> new SocketAddress4(0x0A010101 + i / 16, 5_000 + i % 16);
            case 1 -> new SocketAddress4(random.nextInt() | 1, 1 + random.nextInt(65_535));
            case 2 -> new SocketAddress6(0x2001_0DB8L << 32, i, 7_471, 0, 0);
            default -> new SocketAddress6(0xFE80L << 48, i, 7_471, 0, 1 + i % 3);
          });
    }
    return peers;
  }

  @Test
  @DisplayName("Each handle gives its own address, however many there are")
  void destinations() {
    try (Rig rig = new Rig(Rig.udp().withAddressFormat(AddressFormat.SOCKADDR))) {
      Destinations destinations = new Destinations(Peers.of(rig.vector), true, true, 9);
      List<FabricAddress> peers = peers();
      long[] handles = peers.stream().mapToLong(rig.vector::insert).toArray();
      for (int i = 0; i < LOOK_UPS; i++) {
        int peer = random.nextInt(PEERS);
        InetSocketAddress expected = SocketAddresses.of(peers.get(peer));
        InetSocketAddress found = destinations.of(handles[peer]);
        same(found, expected);
        same(scope(found.getAddress()), scope(expected.getAddress()));
      }
      InetSocketAddress kept = destinations.of(handles[0]);
      assertThat(destinations.of(handles[0])).isSameAs(kept);
    }
  }

  @Test
  @DisplayName("A link-local destination without scope is on the link of the endpoint")
  void scopeOfDestination() {
    try (Rig rig = new Rig(Rig.udp().withAddressFormat(AddressFormat.SOCKADDR))) {
      Destinations destinations = new Destinations(Peers.of(rig.vector), true, true, 9);
      long near = rig.vector.insert(FabricAddress.parse("fi_sockaddr_in6://[fe80::1]:5000"));
      long far = rig.vector.insert(FabricAddress.parse("fi_sockaddr_in6://[2001:db8::1]:5000"));
      assertThat(scope(destinations.of(near).getAddress())).isEqualTo(9);
      assertThat(scope(destinations.of(far).getAddress())).isZero();
    }
  }

  @Test
  @DisplayName("Each sender gives its own handle, however many there are, and strangers none")
  void senders() {
    try (Rig rig = new Rig(Rig.udp().withAddressFormat(AddressFormat.SOCKADDR))) {
      SenderCache senders = new SenderCache(rig.vector.format(), true, 9);
      Peers vector = Peers.of(rig.vector);
      List<FabricAddress> peers = peers();
      long[] handles = new long[PEERS];
      for (int i = 0; i < PEERS; i++) {
        handles[i] = i % 3 == 0 ? Handles.NOT_AVAILABLE : rig.vector.insert(peers.get(i));
      }
      for (int i = 0; i < LOOK_UPS; i++) {
        // Some senders often, so that what is kept is used, and all the others now and then.
        int peer = random.nextBoolean() ? random.nextInt(100) : random.nextInt(PEERS);
        SenderAddress found = senders.find(SocketAddresses.of(peers.get(peer)));
        same(reported(vector, found), handles[peer]);
        if (handles[peer] == Handles.NOT_AVAILABLE) {
          byte[] packed = found.toBytes(AddressFormat.SOCKADDR);
          same(FabricAddress.of(AddressFormat.SOCKADDR, packed), peers.get(peer));
        }
      }
    }
  }

  @Test
  @DisplayName("The same address on two links is two senders")
  void scopeOfSender() {
    try (Rig rig = new Rig(Rig.udp().withAddressFormat(AddressFormat.SOCKADDR))) {
      SenderCache senders = new SenderCache(rig.vector.format(), true, 9);
      Peers vector = Peers.of(rig.vector);
      long first = rig.vector.insert(new SocketAddress6(0xFE80L << 48, 1, 5_000, 0, 1));
      long second = rig.vector.insert(new SocketAddress6(0xFE80L << 48, 1, 5_000, 0, 2));
      for (int i = 0; i < 4; i++) {
        var near = senders.find(SocketAddresses.ofIpv6(0xFE80L << 48, 1, 5_000, 1));
        assertThat(reported(vector, near)).isEqualTo(first);
        var far = senders.find(SocketAddresses.ofIpv6(0xFE80L << 48, 1, 5_000, 2));
        assertThat(reported(vector, far)).isEqualTo(second);
      }
    }
  }

  /** The handle that a completion reports. */
  private static long reported(Peers vector, SenderAddress sender) {
    MessageSource source = new MessageSource();
    sender.find(vector, Peers.NO_AUTH_KEY, source);
    return source.reported();
  }

  /** Not by an assertion, of which there would be hundreds of thousands. */
  private static void same(Object found, Object expected) {
    if (!found.equals(expected)) {
      throw new AssertionError("seed " + SEED + ": " + found + " instead of " + expected);
    }
  }

  private static int scope(InetAddress address) {
    return address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
  }
}
