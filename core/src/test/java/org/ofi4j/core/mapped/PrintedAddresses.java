// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

/** Random addresses of all kinds, and how the reader in C prints them. */
final class PrintedAddresses {
  private static final AddressCodec TEXT = AddressCodec.of(AddressFormat.STR);
  private static final AddressCodec OPAQUE = AddressCodec.of(AddressFormat.GNI);
  private static final AddressCodec WIDE = AddressCodec.of(AddressFormat.PSMX2);

  private final SplittableRandom random;

  PrintedAddresses(SplittableRandom random) {
    this.random = random;
  }

  /** Any address of any kind, now and then one of few. */
  AddressKey some() {
    AddressKey key = new AddressKey();
    long any = random.nextInt(8) == 0 ? random.nextInt(20) : random.nextLong();
    int port = 1 + random.nextInt(0xFFFF);
    switch (random.nextInt(7)) {
      case 0 -> key.setIpv6(any, ~any, port, 0, 0);
      case 1 -> key.setIpv6(any, -any, port, 1 + random.nextInt(0xFFFFF), 0);
      case 2 -> key.setIpv6(any, any, port, 0, random.nextInt());
      case 3 -> {
        String low = Long.toHexString(any & 0xFFFF);
        String text = "fi_sockaddr_in6://[2001:db8::" + low + "]:" + port;
        assertThat(TEXT.read(new TextAddress(text), key)).isZero();
      }
      case 4 -> {
        byte[] bytes = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 4096 : 100)];
        random.nextBytes(bytes);
        assertThat(OPAQUE.read(new ProviderAddress(AddressFormat.GNI, bytes), key)).isZero();
      }
      case 5 -> {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        assertThat(WIDE.read(new ProviderAddress(AddressFormat.PSMX2, bytes), key)).isZero();
      }
      default -> key.setIpv4(any >>> 16);
    }
    return key;
  }

  /** Some address under one of some keys. */
  AddressKey someUnder(int keys) {
    AddressKey key = some();
    key.putUnder(random.nextInt(keys));
    return key;
  }

  /** What it prints behind the index; the address has no key any more. */
  static String text(AddressKey key) {
    int authKey = key.takeAuthKey();
    return authKey < 0 ? plain(key) : plain(key) + " under key " + authKey;
  }

  private static String plain(AddressKey key) {
    return switch (key.kind()) {
      case IPV4 -> {
        long word = key.ipv4();
        yield (word >>> 40)
            + ("." + (word >>> 32 & 255) + "." + (word >>> 24 & 255) + "." + (word >>> 16 & 255))
            + (":" + (word & 0xFFFF));
      }
      case IPV6 -> {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
          long half = key.word(i / 4) >>> 48 - i % 4 * 16;
          text.append(i == 0 ? '[' : ':').append(Long.toHexString(half & 0xFFFF));
        }
        text.append("]:").append(key.word(2) & 0xFFFF);
        long scope = key.word(2) >>> 32;
        text.append(scope == 0 ? "" : " scope " + scope);
        yield text.append(key.word(3) == 0 ? "" : " flow 0x" + Long.toHexString(key.word(3)))
            .toString();
      }
      case TEXT -> {
        byte[] bytes = packed(TEXT, key);
        yield "text \"" + new String(bytes, 0, bytes.length - 1, StandardCharsets.UTF_8) + '"';
      }
      case WIDE -> hex("wide ", AddressFormat.PSMX2, packed(WIDE, key));
      default -> hex("opaque ", AddressFormat.GNI, packed(OPAQUE, key));
    };
  }

  private static String hex(String kind, AddressFormat format, byte[] bytes) {
    return kind + format.number() + ": " + HexFormat.of().formatHex(bytes);
  }

  private static byte[] packed(AddressCodec codec, AddressKey key) {
    byte[] bytes = new byte[AddressKey.MAX_BYTES + 1];
    return Arrays.copyOf(bytes, codec.write(key, MemorySegment.ofArray(bytes)));
  }
}
