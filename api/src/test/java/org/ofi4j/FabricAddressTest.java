// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;

class FabricAddressTest {
  private static FabricException refusal(ThrowingCallable call) {
    FabricException refusal = catchThrowableOfType(FabricException.class, call);
    assertThat(refusal).isNotNull();
    assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    return refusal;
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65536, Integer.MIN_VALUE})
  void refusesPorts(int port) {
    assertThat(refusal(() -> new SocketAddress4(1, port))).hasMessageContaining("port " + port);
    assertThat(refusal(() -> new SocketAddress6(1, 1, port, 0, 0)))
        .hasMessageContaining("port " + port);
  }

  @Test
  @DisplayName("AV-010: null is errno 22 and names the argument")
  @SuppressWarnings("NullAway")
  void refusesNull() {
    assertThat(refusal(() -> FabricAddress.parse(null))).hasMessageContaining("text");
    assertThat(refusal(() -> FabricAddress.of((InetSocketAddress) null)))
        .hasMessageContaining("address");
    assertThat(refusal(() -> FabricAddress.of(null, new byte[16]))).hasMessageContaining("format");
    assertThat(refusal(() -> FabricAddress.of(AddressFormat.STR, (byte[]) null)))
        .hasMessageContaining("packed");
    assertThat(refusal(() -> new ProviderAddress(AddressFormat.GNI, null)))
        .hasMessageContaining("bytes");
    assertThat(refusal(() -> new TextAddress(null))).hasMessageContaining("text");
  }

  @Test
  void nodeAndPortAreEnough() {
    assertThat(FabricAddress.parse("10.1.1.7:5000"))
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://10.1.1.7:5000"));
    assertThat(FabricAddress.parse("[2001:db8::7]:5000"))
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in6://[2001:db8::7]:5000"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.1.1.7",
        "[2001:db8::7]",
        "2001:db8::7:5000",
        ":5000",
        "10.1.1.7:",
        "10.1.1.7:65536",
        "10.1.7:5000",
        "localhost:5000",
        "10.1.1.7:5000/x",
        "10.1.1.7:5000?x=y",
        "[2001:db8::7:5000",
        "[10.1.1.7]:5000",
        " 10.1.1.7:5000"
      })
  void whatIsNoNodeAndPortIsRefused(String text) {
    assertThat(refusal(() -> FabricAddress.parse(text))).hasMessageContaining("\"" + text + "\"");
  }

  @Test
  void refusesTextWithoutPackedForm() {
    assertThat(refusal(() -> new TextAddress("a\0b"))).hasMessageContaining("zero");
    assertThat(refusal(() -> new TextAddress("a\uD800b"))).hasMessageContaining("surrogate");
  }

  @Test
  void refusesProviderAddressesOfOtherRecords() {
    Supplier<byte[]> bytes = () -> new byte[16];
    assertThat(refusal(() -> new ProviderAddress(AddressFormat.SOCKADDR_IN, bytes.get())))
        .hasMessageContaining("SocketAddress4");
    assertThat(refusal(() -> new ProviderAddress(AddressFormat.STR, bytes.get())))
        .hasMessageContaining("TextAddress");
    assertThat(refusal(() -> new ProviderAddress(AddressFormat.PSMX3, bytes.get())))
        .hasMessageContaining("16 bytes", "32");
    assertThat(refusal(() -> new ProviderAddress(AddressFormat.EFA, bytes.get())))
        .hasMessageContaining("24 or 32");
    assertThat(refusal(() -> new ProviderAddress(AddressFormat.SOCKADDR_IB, new byte[48])))
        .hasMessageContaining("family 0");
  }

  @Test
  void providerAddressesDoNotChange() {
    byte[] bytes = {1, 2, 3};
    ProviderAddress address = new ProviderAddress(AddressFormat.GNI, bytes);
    bytes[0] = 9;
    address.bytes()[0] = 9;
    address.toBytes()[0] = 9;

    assertThat(address).isEqualTo(new ProviderAddress(AddressFormat.GNI, new byte[] {1, 2, 3}));
    assertThat(address).hasSameHashCodeAs(new ProviderAddress(AddressFormat.GNI, address.bytes()));
    assertThat(address).isNotEqualTo(new ProviderAddress(AddressFormat.PSMX, address.bytes()));
  }

  @Test
  void whatFollowsAPackedAddressIsIgnored() {
    byte[] longer = new byte[20];
    System.arraycopy(new SocketAddress4(7, 8).toBytes(), 0, longer, 0, 16);
    longer[10] = 1;
    longer[18] = 1;

    assertThat(FabricAddress.of(AddressFormat.SOCKADDR_IN, longer))
        .isEqualTo(new SocketAddress4(7, 8));
  }

  @Test
  void javaAddresses() throws UnknownHostException {
    InetSocketAddress four = new InetSocketAddress(InetAddress.getByName("10.1.1.7"), 5000);
    assertThat(FabricAddress.of(four)).isEqualTo(new SocketAddress4(0x0A010107, 5000));
    assertThat(new SocketAddress4(0x0A010107, 5000).toSocketAddress()).isEqualTo(four);

    InetAddress scoped = Inet6Address.getByAddress(null, bytes(0xFE80L << 48, 1), 3);
    FabricAddress six = FabricAddress.of(new InetSocketAddress(scoped, 5000));
    assertThat(six).isEqualTo(new SocketAddress6(0xFE80L << 48, 1, 5000, 0, 3));
    InetSocketAddress back = new SocketAddress6(0xFE80L << 48, 1, 5000, 7, 3).toSocketAddress();
    assertThat(back).isEqualTo(new InetSocketAddress(scoped, 5000));
    assertThat(((Inet6Address) back.getAddress()).getScopeId()).isEqualTo(3);
  }

  private static byte[] bytes(long high, long low) {
    return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
  }

  @Test
  @DisplayName("IPv4-mapped addresses stay IPv6")
  void mappedJavaAddress() {
    SocketAddress6 mapped = new SocketAddress6(0, 0xFFFF_0A01_0107L, 5000, 0, 0);

    assertThat(mapped.toSocketAddress().getAddress()).isInstanceOf(Inet6Address.class);
    assertThat(FabricAddress.of(mapped.toSocketAddress())).isEqualTo(mapped);
  }

  @Test
  void unresolvedJavaAddress() {
    assertThat(refusal(() -> FabricAddress.of(InetSocketAddress.createUnresolved("node001", 5000))))
        .hasMessageContaining("node001")
        .hasMessageContaining("insertService");
  }

  @Test
  @DisplayName("Long text does not flood the message")
  void messagesAreBounded() {
    FabricException refusal = refusal(() -> FabricAddress.parse("fi_x://" + "y".repeat(100_000)));

    assertThat(refusal.getMessage().length()).isLessThan(500);
    assertThat(refusal(() -> FabricAddress.parse("a\nb://\u001b[31m")).getMessage())
        .doesNotContain("\n", "\u001b");
  }
}
