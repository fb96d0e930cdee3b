// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;

/** What a vector of each format takes, refuses and gives back. */
class AddressCodecTest {
  private static final String IPV4 = "020013880a0101010000000000000000";
  private static final String IPV6 = "0a00138800000007fe80000000000000000000000006001203000000";
  private static final String IB =
      "1b00800100000007fe800000000000000002c9030001000200000000013f1d2f"
          + "ffffffffffffffff0000000000000005";

  private final AddressKey key = new AddressKey();

  private static MemorySegment packed(String hex) {
    return MemorySegment.ofArray(HexFormat.of().parseHex(hex));
  }

  private static MemorySegment text(String text) {
    return MemorySegment.ofArray(new TextAddress(text).toBytes());
  }

  private static String written(AddressCodec codec, AddressKey key) {
    byte[] bytes = new byte[codec.write(key, MemorySegment.NULL)];
    codec.write(key, MemorySegment.ofArray(bytes));
    return HexFormat.of().formatHex(bytes);
  }

  @ParameterizedTest
  @DisplayName("AV-077 AV-224: each element is judged by its own family and length")
  @CsvSource({
    "SOCKADDR_IN, 020013880a0101010000000000000000, 0",
    "SOCKADDR_IN, 00000000000000000000000000000000, 22",
    "SOCKADDR_IN, 02000000000000000000000000000000, 99",
    "SOCKADDR_IN, 020000000a0101010000000000000000, 99",
    "SOCKADDR_IN, 02001388000000000000000000000000, 99",
    "SOCKADDR_IN, 630013880a0101010000000000000000, 22",
    "SOCKADDR_IN, 020013880a01010100000000000000, 22",
    "SOCKADDR_IN, 020013880a010101ffffffffffffffff, 0",
    "SOCKADDR_IN, 0a00138800000000fe80000000000000000000000006001203000000, 22",
    "SOCKADDR_IN6, 0a00138800000000fe80000000000000000000000006001203000000, 0",
    "SOCKADDR_IN6, 0a00000000000000fe80000000000000000000000006001203000000, 99",
    "SOCKADDR_IN6, 0a001388000000000000000000000000000000000000000003000000, 99",
    "SOCKADDR_IN6, 0a0013880000000000000000000000000000ffff0000000000000000, 99",
    "SOCKADDR_IN6, 0a00138800000000fe800000000000000000000000060012030000, 22",
    "SOCKADDR_IN6, 020013880a010101000000000000000000000000000000000000000000, 22",
    "SOCKADDR, 020013880a0101010000000000000000, 0",
    "SOCKADDR, 0a00138800000000fe80000000000000000000000006001203000000, 0",
    "SOCKADDR, " + IB + ", 0",
    "SOCKADDR, 020013880a01010100000000000000, 22",
    "SOCKADDR, 02, 22",
    "SOCKADDR_IP, 020013880a0101010000000000000000, 0",
    "SOCKADDR_IP, 0a00138800000000fe80000000000000000000000006001203000000, 0",
    "SOCKADDR_IP, " + IB + ", 22",
    "SOCKADDR_IB, " + IB + ", 0",
    "SOCKADDR_IB, 020013880a0101010000000000000000, 22",
    "PSMX2, cdab341200000000ff00000000000000, 0",
    "PSMX2, cdab3412, 22",
    "EFA, fe8000000000000000000000000000010c000000800d00000000000000000000, 0",
    "EFA, 000000000000000000000000000000000c000000800d00000000000000000000, 99",
    "EFA, fe8000000000000000000000000000010c000000800d0000, 22",
    "IB_UD, fe80000000000000000000000000000111000000220001800000030000000000, 0",
    "IB_UD, fe80000000000000000000000000000111000000000001800000030000000000, 99",
    "UNSPECIFIED, 0102030405, 0",
    "GNI, 01, 0",
  })
  void judgesPackedAddresses(AddressFormat format, String hex, int errno) {
    AddressCodec codec = AddressCodec.of(format);

    assertThat(codec.read(packed(hex), 0, key)).isEqualTo(errno);
    if (errno == 22) {
      assertThat(key.kind()).isEqualTo(AddressKey.Kind.EMPTY);
    }
    assertThat(codec.reason(packed(hex), 0).isEmpty()).isEqualTo(errno == 0);
  }

  @ParameterizedTest
  @DisplayName("AV-136 D-34: what is written is what was read, without meaningless bytes")
  @CsvSource({
    "SOCKADDR_IN, " + IPV4 + ", " + IPV4,
    "SOCKADDR_IN, 020013880a010101ffffffffffffffff, " + IPV4,
    "SOCKADDR_IN6, " + IPV6 + ", " + IPV6,
    "SOCKADDR_IB, " + IB + ", " + IB,
    "SOCKADDR, " + IPV4 + ", " + IPV4,
    "SOCKADDR, " + IPV6 + ", " + IPV6,
    "SOCKADDR, " + IB + ", " + IB,
    "SOCKADDR_IP, " + IPV6 + ", " + IPV6,
    "PSMX2, cdab341200000000ff00000000000000, cdab341200000000ff00000000000000",
    "PSMX3, 010000000000000002000000000000000300000000000000efbeadde00000000,"
        + " 010000000000000002000000000000000300000000000000efbeadde00000000",
    "OPX, efcdab0000000000, efcdab0000000000",
    "CXI, 452301000700ffff, 4523010007000000",
    "EFA, fe8000000000000000000000000000010c00ffff800d00001122334455667788,"
        + " fe8000000000000000000000000000010c000000800d00001122334455667788",
    "IB_UD, fe8000000000000000000000000000011100000022000180090003ffffffffff,"
        + " fe80000000000000000000000000000111000000220001800900030000000000",
    "UCX, 0102030405, 0102030405",
  })
  void writesWhatItRead(AddressFormat format, String hex, String canonical) {
    AddressCodec codec = AddressCodec.of(format);

    assertThat(codec.read(packed(hex), 0, key)).isZero();
    assertThat(written(codec, key)).isEqualTo(canonical);
    assertThat(HexFormat.of().formatHex(codec.toValue(key).toBytes())).isEqualTo(canonical);

    AddressKey fromValue = new AddressKey();
    assertThat(codec.read(codec.toValue(key), fromValue)).isZero();
    assertThat(fromValue.sameAddress(key)).isTrue();
    assertThat(fromValue.hash(7)).isEqualTo(key.hash(7));
  }

  @ParameterizedTest
  @DisplayName("AV-139 AV-140: a short buffer takes what fits and the full length is told")
  @CsvSource({
    "SOCKADDR_IN, " + IPV4,
    "SOCKADDR_IN6, " + IPV6,
    "SOCKADDR_IB, " + IB,
    "GNI, 0102030405",
    "STR, 66695f736f636b616464725f696e3a2f2f31302e33312e362e313a3734373100",
  })
  void truncates(AddressFormat format, String hex) {
    AddressCodec codec = AddressCodec.of(format);
    byte[] all = HexFormat.of().parseHex(hex);
    assertThat(codec.read(packed(hex), 0, key)).isZero();

    for (int capacity = 0; capacity <= all.length + 3; capacity++) {
      byte[] target = new byte[all.length + 3];
      Arrays.fill(target, (byte) 0x77);
      int length = codec.write(key, MemorySegment.ofArray(target).asSlice(0, capacity));

      assertThat(length).isEqualTo(all.length);
      for (int i = 0; i < target.length; i++) {
        assertThat(target[i])
            .as("byte %d of capacity %d", i, capacity)
            .isEqualTo(i < Math.min(capacity, all.length) ? all[i] : (byte) 0x77);
      }
    }
  }

  @Test
  @DisplayName("D-05: nothing behind the memory given is read")
  void readsNothingBehind() {
    try (Arena arena = Arena.ofConfined()) {
      for (AddressFormat format : AddressFormat.values()) {
        AddressCodec codec = AddressCodec.of(format);
        for (String whole : new String[] {IPV4, IPV6, IB}) {
          byte[] bytes = HexFormat.of().parseHex(whole);
          for (int length = 0; length < bytes.length; length++) {
            MemorySegment part = arena.allocate(64).asSlice(0, length);
            MemorySegment.copy(bytes, 0, part, ValueLayout.JAVA_BYTE, 0, length);

            assertThat(codec.read(part, 0, key)).isBetween(0, 99);
            assertThat(codec.read(part, length, key)).isEqualTo(22);
            assertThat(codec.sizeAt(part, length)).isGreaterThanOrEqualTo(-1);
            assertThat(codec.reason(part, length)).isNotEmpty();
          }
        }
      }
    }
  }

  @Test
  @DisplayName("Issue: each refusal has words of its own")
  void refusalsDiffer() {
    AddressCodec ipv4 = AddressCodec.of(AddressFormat.SOCKADDR_IN);
    AddressCodec spelled = AddressCodec.of(AddressFormat.STR);
    Set<String> reasons = new LinkedHashSet<>();
    reasons.add(ipv4.reason(packed("00".repeat(16)), 0));
    reasons.add(ipv4.reason(new SocketAddress4(0, 5000)));
    reasons.add(ipv4.reason(new SocketAddress4(0x0A010101, 0)));
    reasons.add(ipv4.reason(new SocketAddress4(0, 0)));
    reasons.add(ipv4.reason(packed(IPV6), 0));
    reasons.add(ipv4.reason(new SocketAddress6(1, 2, 3, 0, 0)));
    reasons.add(ipv4.reason(packed(IPV4).asSlice(0, 15), 0));
    reasons.add(ipv4.reason(new TextAddress("fi_sockaddr_in://10.1.1.1:5000")));
    reasons.add(spelled.reason(new SocketAddress4(0x0A010101, 5000)));
    reasons.add(spelled.reason(text("fi_sockaddr_in://10.1.1.1:65536"), 0));
    reasons.add(spelled.reason(text("10.1.1.1:5000"), 0));
    reasons.add(spelled.reason(packed("666f6f"), 0));

    assertThat(reasons).hasSize(12).doesNotContain("");
    assertThat(reasons)
        .satisfiesExactly(
            reason -> assertThat(reason).contains("16 bytes", "zero", "never filled in"),
            reason -> assertThat(reason).contains("0.0.0.0:5000", "any-address"),
            reason -> assertThat(reason).contains("10.1.1.1:0", "port zero"),
            reason -> assertThat(reason).contains("any-address and port zero"),
            reason -> assertThat(reason).contains("family 10", "2 (IPv4)"),
            reason -> assertThat(reason).contains("SOCKADDR_IN6", "takes SOCKADDR_IN"),
            reason -> assertThat(reason).contains("15 bytes", "16"),
            reason -> assertThat(reason).contains("FabricAddress.parse"),
            reason -> assertThat(reason).contains("TextAddress"),
            reason -> assertThat(reason).contains("port", "65535"),
            reason -> assertThat(reason).contains("fi_sockaddr_in://"),
            reason -> assertThat(reason).contains("zero byte"));
    assertThat(reasons).noneMatch(reason -> reason.contains("EINVAL"));
  }

  @ParameterizedTest
  @DisplayName("An address that was never filled in is told by its own bytes alone")
  @CsvSource({
    "SOCKADDR_IN, 16, 16",
    "SOCKADDR_IN6, 28, 28",
    "SOCKADDR, 16, 16",
    "SOCKADDR, 48, 16",
    "SOCKADDR_IN, 4, 4",
    "EFA, 32, 32",
  })
  void neverFilledIn(AddressFormat format, int zeros, int told) {
    AddressCodec codec = AddressCodec.of(format);
    MemorySegment list = packed("ff".repeat(8) + "00".repeat(zeros) + "ff".repeat(40));

    assertThat(codec.reason(list.asSlice(0, 8 + zeros), 8))
        .contains("all " + told + " bytes", "never filled in");
    if (zeros >= told && told >= 16) {
      assertThat(codec.reason(list, 8)).contains("all " + told + " bytes");
    }
    list.set(ValueLayout.JAVA_BYTE, 8 + told - 1, (byte) 1);
    assertThat(codec.reason(list.asSlice(0, 8 + zeros), 8)).doesNotContain("never filled in");
  }

  @Test
  @DisplayName("D-16: sin_zero and flow label do not make a different peer, scope and family do")
  void whatCounts() {
    AddressCodec codec = AddressCodec.of(AddressFormat.SOCKADDR);
    SocketAddress6 address = new SocketAddress6(1, 2, 3, 4, 5);

    assertSame(codec, address, new SocketAddress6(1, 2, 3, 99, 5), true);
    assertSame(codec, address, new SocketAddress6(9, 2, 3, 4, 5), false);
    assertSame(codec, address, new SocketAddress6(1, 9, 3, 4, 5), false);
    assertSame(codec, address, new SocketAddress6(1, 2, 9, 4, 5), false);
    assertSame(codec, address, new SocketAddress6(1, 2, 3, 4, 9), false);
    assertSame(
        codec,
        new SocketAddress4(0x0A010101, 5000),
        new SocketAddress6(0, 0xFFFF_0A01_0101L, 5000, 0, 0),
        false);
    assertSame(codec, new SocketAddress4(1, 2), new SocketAddress4(1, 3), false);
    assertSame(
        codec,
        FabricAddress.parse("fi_sockaddr_ib://[fe80::1]:0x8001:0x13f:0x5:7471"),
        FabricAddress.parse("fi_sockaddr_ib://[fe80::1]:0x8001:0x13f:0x5:7472"),
        false);
  }

  private static void assertSame(
      AddressCodec codec, FabricAddress one, FabricAddress other, boolean same) {
    AddressKey first = new AddressKey();
    AddressKey second = new AddressKey();
    assertThat(codec.read(one, first)).isZero();
    assertThat(codec.read(other, second)).isZero();

    assertThat(first.sameAddress(second)).as("%s and %s", one, other).isEqualTo(same);
    assertThat(second.sameAddress(first)).isEqualTo(same);
    assertThat(first.hash(7) == second.hash(7)).isEqualTo(same);
  }

  @ParameterizedTest
  @DisplayName("AV-078 D-25: text is kept byte for byte and counts as what it spells")
  @ValueSource(
      strings = {
        "fi_sockaddr_in://10.31.6.1:7471",
        "FI_SOCKADDR_IN://10.31.6.1:7471",
        "fi_sockaddr://10.31.6.1:7471?qos=3",
        "fi_sockaddr_ip://10.31.6.1:7471/käse"
      })
  void keepsTheSpelling(String spelling) {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR);

    assertThat(codec.read(text(spelling), 0, key)).isZero();
    assertThat(key.kind()).isEqualTo(AddressKey.Kind.TEXT);
    assertThat(codec.toValue(key)).isEqualTo(new TextAddress(spelling));
    assertThat(written(codec, key))
        .isEqualTo(HexFormat.of().formatHex(new TextAddress(spelling).toBytes()));
    assertThat(codec.sizeAt(text(spelling), 0)).isEqualTo((int) text(spelling).byteSize());

    AddressKey socket = new AddressKey();
    AddressCodec ipv4 = AddressCodec.of(AddressFormat.SOCKADDR_IN);
    assertThat(ipv4.read(new SocketAddress4(0x0A1F0601, 7471), socket)).isZero();
    assertThat(key.sameAddress(socket)).isTrue();
    assertThat(key.hash(7)).isEqualTo(socket.hash(7));
    MemorySegment target = MemorySegment.ofArray(new byte[16]);
    assertThat(AddressCodec.socketAddress(key, target)).isEqualTo(16);
    assertThat(HexFormat.of().formatHex(target.toArray(ValueLayout.JAVA_BYTE)))
        .isEqualTo("02001d2f0a1f06010000000000000000");
  }

  @ParameterizedTest
  @DisplayName("AV-078: text that cannot be inserted")
  @CsvSource({
    "fi_sockaddr_in://10.31.6.1, 99",
    "fi_sockaddr_in://:7471, 99",
    "fi_sockaddr_in6://[::]:7471, 99",
    "fi_sockaddr_in://10.31.6.1:65536, 22",
    "10.31.6.1:7471, 22",
    "'', 22",
    "fi_addr_ucx://0x1, 38",
  })
  void refusesText(String spelling, int errno) {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR);

    assertThat(codec.read(text(spelling), 0, key)).isEqualTo(errno);
    assertThat(codec.read(new TextAddress(spelling), key)).isEqualTo(errno);
    assertThat(codec.reason(text(spelling), 0)).isNotEmpty();
    assertThat(codec.reason(new TextAddress(spelling))).isNotEmpty();
  }

  @ParameterizedTest
  @DisplayName("D-90: text of a fabric counts by its bytes, and is text in every form")
  @ValueSource(
      strings = {
        "fi_shm://1234:0:0",
        "FI_SHM://1234:0:0",
        "fi_sm2://käse",
        "://",
        "fi_addr_ucx://0x1",
        "fi_sockaddr_in://no.address:1"
      })
  void takesTextOfAFabric(String spelling) {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR, true);
    MemorySegment packed = text(spelling);

    assertThat(codec.read(packed, 0, key)).isZero();
    assertThat(key.kind()).isEqualTo(AddressKey.Kind.OPAQUE);
    assertThat(codec.reason(packed, 0)).isEmpty();
    assertThat(codec.sizeAt(packed, 0)).isEqualTo((int) packed.byteSize());
    assertThat(written(codec, key))
        .isEqualTo(HexFormat.of().formatHex(packed.toArray(ValueLayout.JAVA_BYTE)));
    assertThat(codec.toValue(key)).isEqualTo(new TextAddress(spelling));
    assertThat(AddressCodec.socketAddress(key, MemorySegment.ofArray(new byte[28]))).isZero();

    AddressKey same = new AddressKey();
    assertThat(codec.read(new TextAddress(spelling), same)).isZero();
    assertThat(same.sameAddress(key)).isTrue();
    assertThat(codec.readFabricText(packed, same)).isTrue();
    assertThat(same.sameAddress(key)).isTrue();
    assertThat(codec.read(text(spelling + " "), 0, same)).isZero();
    assertThat(same.sameAddress(key)).isFalse();
    MemorySegment record = MemorySegment.ofArray(new byte[key.recordSize()]);
    key.writeRecord(record, 0);
    assertThat(key.matchesRecord(record, 0)).isTrue();
    assertThat(same.matchesRecord(record, 0)).isFalse();
    assertThat(same.readRecord(record, 0)).isTrue();
    assertThat(codec.toValue(same)).isEqualTo(new TextAddress(spelling));
    for (int i = 0; i < key.byteCount(); i++) {
      byte there = record.get(ValueLayout.JAVA_BYTE, 8 + i);
      record.set(ValueLayout.JAVA_BYTE, 8 + i, (byte) ~there);
      assertThat(key.matchesRecord(record, 0)).as("byte %d differs", i).isFalse();
      record.set(ValueLayout.JAVA_BYTE, 8 + i, there);
    }

    key.putUnder(7);
    assertThat(key.takeAuthKey()).isEqualTo(7);
    assertThat(codec.toValue(key)).isEqualTo(new TextAddress(spelling));
  }

  @Test
  @DisplayName("D-90 D-25: where a fabric has texts, text that spells an address is no other")
  void textThatSpellsIsNoTextOfAFabric() {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR, true);
    AddressKey spelled = new AddressKey();

    assertThat(codec.read(text("fi_sockaddr_in://10.31.6.1:7471"), 0, key)).isZero();
    assertThat(key.kind()).isEqualTo(AddressKey.Kind.TEXT);
    assertThat(codec.read(text("FI_sockaddr://10.31.6.1:7471"), 0, spelled)).isZero();
    assertThat(spelled.sameAddress(key)).isTrue();
    assertThat(codec.readFabricText(text("fi_sockaddr_in://10.31.6.1:7471"), spelled)).isTrue();
    assertThat(spelled.sameAddress(key)).isFalse();
  }

  @ParameterizedTest
  @DisplayName("D-90: what a fabric with texts of its own refuses, with its reason")
  @CsvSource({
    "fi_sockaddr_in://0.0.0.0:7471, 99, any-address",
    "10.31.6.1:7471, 22, write it like fi_sockaddr_in://10.31.6.1:7471",
    "1234:0:0, 22, write it like the fabric does",
    "'', 22, has no format",
  })
  void refusesTextOfAFabric(String spelling, int errno, String words) {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR, true);

    assertThat(codec.read(text(spelling), 0, key)).isEqualTo(errno);
    assertThat(codec.read(new TextAddress(spelling), key)).isEqualTo(errno);
    assertThat(codec.reason(text(spelling), 0)).contains(words);
    assertThat(codec.reason(new TextAddress(spelling))).contains(words);
  }

  @Test
  @DisplayName("D-90: text of a fabric is UTF-8, ends, and is as long as it may be and no longer")
  void refusesBrokenTextOfAFabric() {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR, true);
    String longest = "fi_shm://" + "x".repeat(AddressKey.MAX_BYTES - 9);

    assertThat(codec.read(text(longest), 0, key)).isZero();
    assertThat(codec.read(text(longest + "x"), 0, key)).isEqualTo(22);
    assertThat(codec.read(new TextAddress(longest + "x"), key)).isEqualTo(22);
    assertThat(codec.reason(new TextAddress(longest + "x"))).contains("longer");
    assertThat(codec.readFabricText(text(longest + "x"), key)).isFalse();
    MemorySegment endless = text("fi_shm://1").asSlice(0, 10);
    assertThat(codec.read(endless, 0, key)).isEqualTo(22);
    assertThat(codec.reason(endless, 0)).contains("zero byte");
    assertThat(codec.readFabricText(endless, key)).isFalse();
    MemorySegment broken = packed("66693a2f2fff00");
    assertThat(codec.read(broken, 0, key)).isEqualTo(22);
    assertThat(codec.reason(broken, 0)).contains("UTF-8");
  }

  @ParameterizedTest
  @DisplayName("D-90: formats other than FI_ADDR_STR are the same where a fabric has texts")
  @CsvSource({"SOCKADDR", "EFA", "GNI"})
  void textsOfAFabricAreOfOneFormat(AddressFormat format) {
    AddressCodec codec = AddressCodec.of(format, true);

    assertThat(codec.read(new TextAddress("fi_shm://1"), key)).isEqualTo(22);
    assertThat(codec.reason(new TextAddress("fi_shm://1"))).endsWith(format.toString());
    assertThat(codec.readFabricText(text("fi_shm://1"), key)).isFalse();
  }

  @Test
  @DisplayName("AV-078: text is as long as it may be and no longer")
  void refusesEndlessText() {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR);
    String base = "fi_sockaddr_in://10.31.6.1:7471?";
    String longest = base + "x".repeat(AddressKey.MAX_BYTES - base.length());

    assertThat(codec.read(text(longest), 0, key)).isZero();
    assertThat(codec.read(text(longest + "x"), 0, key)).isEqualTo(22);
    assertThat(codec.read(new TextAddress(longest + "x"), key)).isEqualTo(22);
    assertThat(codec.reason(new TextAddress(longest + "x"))).contains("longer");
    assertThat(codec.sizeAt(text(longest + "x"), 0)).isEqualTo(-1);
  }

  @Test
  @DisplayName("AV-076: elements of one list may differ in length")
  void walksMixedLists() {
    AddressCodec codec = AddressCodec.of(AddressFormat.SOCKADDR);
    MemorySegment list = packed(IPV4 + IPV6 + IB + "6300");

    assertThat(codec.sizeAt(list, 0)).isEqualTo(16);
    assertThat(codec.sizeAt(list, 16)).isEqualTo(28);
    assertThat(codec.sizeAt(list, 44)).isEqualTo(48);
    assertThat(codec.sizeAt(list, 92)).isEqualTo(-1);
    assertThat(codec.sizeAt(list, 94)).isEqualTo(-1);
    assertThat(AddressCodec.of(AddressFormat.SOCKADDR_IP).sizeAt(list, 44)).isEqualTo(-1);
    assertThat(AddressCodec.of(AddressFormat.SOCKADDR_IN6).sizeAt(list, 0)).isEqualTo(28);
    assertThat(AddressCodec.of(AddressFormat.EFA).sizeAt(list, 0)).isEqualTo(32);
    assertThat(AddressCodec.of(AddressFormat.MLX).sizeAt(list, 0)).isEqualTo(-1);
    assertThat(codec.read(list, 16, key)).isZero();
    assertThat(written(codec, key)).isEqualTo(IPV6);
  }

  @ParameterizedTest
  @DisplayName("AV-079: the entry for any address")
  @CsvSource({
    "SOCKADDR_IN, 02000000000000000000000000000000",
    "SOCKADDR, 02000000000000000000000000000000",
    "SOCKADDR_IN6, 0a000000000000000000000000000000000000000000000000000000",
    "STR, 66695f736f636b616464725f696e3a2f2f302e302e302e303a3000",
    "PSMX2, 00000000000000000000000000000000",
  })
  void anyAddress(AddressFormat format, String hex) {
    AddressCodec codec = AddressCodec.of(format);

    assertThat(codec.readAny(key)).isZero();
    assertThat(written(codec, key)).isEqualTo(hex);
  }

  @Test
  @DisplayName("D-21: text is as long as its bytes without the zero behind them")
  void reasonOfTheLongestText() {
    AddressCodec codec = AddressCodec.of(AddressFormat.STR);
    String start = "fi_sockaddr_in://10.1.1.1:0?";
    String longest = start + "x".repeat(AddressKey.MAX_BYTES - start.length());

    assertThat(codec.reason(new TextAddress(longest))).contains("has port zero");
    assertThat(codec.reason(new TextAddress(longest + "x")))
        .isEqualTo("address text of 4097 bytes is longer than 4096");
  }

  @Test
  void opaqueFormatsHaveNoAnyAddress() {
    AddressCodec codec = AddressCodec.of(AddressFormat.GNI);

    assertThat(codec.readAny(key)).isEqualTo(Errno.EINVAL.number());
  }

  @Test
  @DisplayName("EFA addresses from text have no pointer and are stored all the same")
  void shortEfaAddresses() {
    AddressCodec codec = AddressCodec.of(AddressFormat.EFA);
    FabricAddress address = FabricAddress.parse("fi_addr_efa://[fe80::1]:12:3456");

    assertThat(codec.read(address, key)).isZero();
    assertThat(codec.toValue(key).toText()).isEqualTo(address.toText());
    assertThat(codec.toValue(key)).isInstanceOf(ProviderAddress.class);
    assertThat(AddressCodec.socketAddress(key, MemorySegment.ofArray(new byte[28]))).isZero();
  }
}
