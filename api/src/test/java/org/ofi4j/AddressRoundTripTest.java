// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.internal.Ipv6Text;

/**
 * Random addresses survive their packed form and their text: 200,000, with {@code -Dofi4j.long} a
 * million.
 */
class AddressRoundTripTest {
  private static final AddressFormat[] FORMATS = {
    AddressFormat.SOCKADDR_IN,
    AddressFormat.SOCKADDR_IN,
    AddressFormat.SOCKADDR_IN6,
    AddressFormat.SOCKADDR_IN6,
    AddressFormat.EFA,
    AddressFormat.PSMX2,
    AddressFormat.PSMX3,
    AddressFormat.OPX,
    AddressFormat.IB_UD
  };

  private static final int COUNT = System.getProperty("ofi4j.long") == null ? 200_000 : 1_000_000;

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  @DisplayName("Section 5.4: parse(print(x)) and unpack(pack(x)) are x")
  void roundTrip() {
    for (int i = 0; i < COUNT; i++) {
      AddressFormat format = FORMATS[i % FORMATS.length];
      FabricAddress address = randomAddress(format);
      String text = address.toString();
      FabricAddress parsed = FabricAddress.parse(text);
      FabricAddress unpacked = FabricAddress.of(format, address.toBytes());
      if (!parsed.equals(address) || !unpacked.equals(address)) {
        throw new AssertionError(
            text
                + " became "
                + parsed
                + " and "
                + unpacked
                + ", -Dofi4j.seed="
                + seed
                + ", case "
                + i);
      }
    }
  }

  /** Any bytes, also such as libfabric has no text for, and none of its programs writes. */
  @Test
  void toStringHasTheWholeAddressInEveryFormat() {
    for (int i = 0; i < 20_000; i++) {
      for (AddressFormat format : AddressFormat.values()) {
        FabricAddress address = anyAddress(format);
        assertThat(FabricAddress.parse(address.toString()))
            .as("-Dofi4j.seed=%d", seed)
            .isEqualTo(address);
        assertThat(address.toString())
            .startsWith(address instanceof TextAddress ? "" : address.toText());
        if (format != AddressFormat.UNSPECIFIED) {
          assertThat(FabricAddress.of(format, address.toBytes()))
              .as("-Dofi4j.seed=%d", seed)
              .isEqualTo(address);
        }
      }
    }
  }

  @Test
  void textOfEachKindOfAddress() {
    SocketAddress6 onLink = new SocketAddress6(0xFE80L << 48, 1, 5000, 0, 2);
    assertThat(onLink).hasToString("fi_sockaddr_in6://[fe80::1]:5000?scope=2");
    assertThat(onLink.toText()).isEqualTo("fi_sockaddr_in6://[fe80::1]:5000");
    assertThat(new SocketAddress6(0xFE80L << 48, 1, 5000, 7, -1))
        .hasToString("fi_sockaddr_in6://[fe80::1]:5000?scope=4294967295&flow=7");
    assertThat(new ProviderAddress(AddressFormat.UNSPECIFIED, new byte[] {1, -1}))
        .hasToString("fi_format_unspec://?bytes=01ff");
    assertThat(new ProviderAddress(AddressFormat.CXI, new byte[] {1, 0, 0, 0, 9, 0, 0, 0}))
        .hasToString("fi_addr_cxi://0x00000001?bytes=0100000009000000");
    assertThat(new TextAddress("fi_shm://1:0:0")).hasToString("fi_shm://1:0:0");
    TextAddress spelled = new TextAddress("fi_sockaddr_in://10.1.1.7:5000");
    assertThat(spelled).hasToString("fi_addr_str://fi_sockaddr_in://10.1.1.7:5000");
    assertThat(spelled.toText()).isEqualTo("fi_sockaddr_in://10.1.1.7:5000");
  }

  private FabricAddress anyAddress(AddressFormat format) {
    boolean isSparse = random.nextBoolean();
    byte[] bytes =
        new byte
            [switch (format) {
              case SOCKADDR_IB -> 48;
              case PSMX2 -> 16;
              case IB_UD, PSMX3 -> 32;
              case EFA -> isSparse ? 24 : 32;
              case OPX, CXI -> 8;
              default -> 1 + random.nextInt(200);
            }];
    random.nextBytes(bytes);
    for (int i = 0; isSparse && i < bytes.length; i++) {
      bytes[i] &= (byte) -random.nextInt(2);
    }
    return switch (format) {
      case SOCKADDR_IN -> new SocketAddress4(random.nextInt(), port());
      case SOCKADDR, SOCKADDR_IP, SOCKADDR_IN6 ->
          new SocketAddress6(
              half(),
              half(),
              port(),
              isSparse ? 0 : random.nextInt(),
              random.nextInt(4) - random.nextInt(2));
      case SOCKADDR_IB -> {
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) 27);
        yield new ProviderAddress(format, bytes);
      }
      case STR -> new TextAddress(anyText());
      default -> new ProviderAddress(format, bytes);
    };
  }

  private String anyText() {
    return switch (random.nextInt(4)) {
      case 0 -> randomAddress(FORMATS[random.nextInt(FORMATS.length)]).toString();
      case 1 -> "fi_shm://" + random.nextInt();
      case 2 -> "fi_addr_str://" + random.nextInt();
      default ->
          random
              .ints(random.nextInt(40), 1, 0xD800)
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
    };
  }

  @Test
  @DisplayName("The JDK reads the same IPv6 address out of the text")
  void otherReader() {
    for (int i = 0; i < COUNT / 10; i++) {
      SocketAddress6 address = (SocketAddress6) randomAddress(AddressFormat.SOCKADDR_IN6);
      String text = Ipv6Text.print(address.high(), address.low());
      byte[] read = InetAddress.ofLiteral(text).getAddress();
      byte[] bytes = Arrays.copyOfRange(address.toBytes(), 8, 24);
      // The JDK turns mapped addresses into IPv4.
      byte[] expected = read.length == 4 ? Arrays.copyOfRange(bytes, 12, 16) : bytes;
      if (!Arrays.equals(read, expected)) {
        throw new AssertionError(text + " is read as another address, -Dofi4j.seed=" + seed);
      }
    }
  }

  private FabricAddress randomAddress(AddressFormat format) {
    return switch (format) {
      case SOCKADDR_IN -> new SocketAddress4(random.nextInt(), port());
      case SOCKADDR_IN6 -> new SocketAddress6(half(), half(), port(), 0, 0);
      case EFA -> {
        byte[] bytes = gid(24);
        bytes[18] = 0;
        bytes[19] = 0;
        yield new ProviderAddress(format, bytes);
      }
      case IB_UD -> {
        byte[] bytes = gid(32);
        Arrays.fill(bytes, 24, 26, (byte) 0);
        Arrays.fill(bytes, 27, 32, (byte) 0);
        yield new ProviderAddress(format, bytes);
      }
      case PSMX2 -> new ProviderAddress(format, gid(16));
      case PSMX3 -> new ProviderAddress(format, gid(32));
      default -> new ProviderAddress(format, gid(8));
    };
  }

  private int port() {
    return random.nextInt(0x10000);
  }

  private byte[] gid(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    MemorySegment start = MemorySegment.ofArray(bytes).asSlice(0, 8);
    start.copyFrom(MemorySegment.ofArray(new long[] {half()}));
    return bytes;
  }

  /** Eight bytes with groups of zeros, which is what the text form is about. */
  private long half() {
    long value = random.nextLong();
    for (int group = 0; group < 4; group++) {
      long mask = 0xFFFFL << 16 * group;
      int choice = random.nextInt(8);
      if (choice < 4) {
        value &= ~mask;
      } else if (choice == 4) {
        value |= mask;
      }
    }
    return value;
  }
}
