// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.FabricTexts;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;
import org.ofi4j.historic.HistoricVector;

/** STR: {@code fi_av_straddr}, and the texts that come in. */
@ConformanceTest
class TextTests extends AddressTests {
  private static final String TEXT = "fi_sockaddr_in://10.31.6.1:7471";
  private static final String PACKED = "02001d2f0a1f06010000000000000000";

  private static MemorySegment bytes(String hex) {
    return MemorySegment.ofArray(HexFormat.of().parseHex(hex));
  }

  private MemorySegment sample() {
    return pack(ipv4(0x0A1F_0601, 7471));
  }

  /** Sees that a text comes out whole, through every form. */
  private static void prints(AddressVector vector, MemorySegment packed, String text) {
    assertThat(vector.toText(packed)).isEqualTo(text);
    byte[] buffer = new byte[text.length() + 9];
    Arrays.fill(buffer, (byte) 0x55);
    MemorySegment segment = MemorySegment.ofArray(buffer);
    AddressText answer = Expect.present(vector.toText(packed, segment));
    assertThat(answer.length()).isEqualTo(text.length() + 1);
    assertThat(segment.getString(0)).isEqualTo(text);
    assertThat(buffer[text.length() + 1]).as("nothing beyond the end").isEqualTo((byte) 0x55);
  }

  @Proves({"AV-148", "AV-149", "AV-151"})
  @ParameterizedTest
  @CsvSource({
    "SOCKADDR_IN, 02001d2f0a1f06010000000000000000, fi_sockaddr_in://10.31.6.1:7471, 32",
    "SOCKADDR_IN, 02000000000000000000000000000000, fi_sockaddr_in://0.0.0.0:0, 27",
    "STR, 66695f73686d3a2f2f313233343a303a3000, fi_shm://1234:0:0, 18",
    "SOCKADDR_IN6, 0a001d2f00000000fe80000000000000000000000006001203000000,"
        + " fi_sockaddr_in6://[fe80::6:12]:7471, 36",
    "SOCKADDR_IN6, 0a001d2f0000000000000000000000000000ffff0a1f060103000000,"
        + " fi_sockaddr_in6://[::ffff:10.31.6.1]:7471, 42",
    "SOCKADDR_IN6, 0a001d2f0000000020010db800000000000100000000000103000000,"
        + " fi_sockaddr_in6://[2001:db8::1:0:0:1]:7471, 43",
    "SOCKADDR_IN6, 0a001d2f000000000000000000000000000000000a01010103000000,"
        + " fi_sockaddr_in6://[::10.1.1.1]:7471, 36",
    "SOCKADDR_IN6, 0a001d2f000000000000000000000000000000000000000003000000,"
        + " fi_sockaddr_in6://[::]:7471, 28",
    "SOCKADDR, 02001d2f0a1f06010000000000000000, fi_sockaddr_in://10.31.6.1:7471, 32",
    "SOCKADDR, 0a001d2f00000000fe80000000000000000000000006001203000000,"
        + " fi_sockaddr_in6://[fe80::6:12]:7471, 36",
    "SOCKADDR_IP, 02001d2f0a1f06010000000000000000, fi_sockaddr_in://10.31.6.1:7471, 32",
    "SOCKADDR_IP, 0a001d2f00000000fe80000000000000000000000006001203000000,"
        + " fi_sockaddr_in6://[fe80::6:12]:7471, 36"
  })
  void addressesPrint(
      AddressFormat format,
      String hex,
      String text,
      int length,
      ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.of(ApiVersion.LATEST).format(format));

    prints(vector, bytes(hex), text);

    assertThat(text.length() + 1).isEqualTo(length);
    assertThat(vector.size()).as("need not be inserted, nor is it").isZero();
  }

  @Proves("AV-148")
  @ParameterizedTest
  @CsvSource({
    "SOCKADDR_IB, 1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff"
        + "0000000000000005, fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5, 53",
    "PSMX2, cdab341200000000ff00000000000000, fi_addr_psmx2://1234abcd:ff, 28",
    "PSMX3, 010000000000000002000000000000000300000000000000efbeadde00000000,"
        + " fi_addr_psmx3://1:2:3:deadbeef, 31",
    "OPX, efcdab0000000000, fi_addr_opx://0000000000abcdef, 31",
    "CXI, 4523010000000000, fi_addr_cxi://0x00012345, 25",
    "EFA, fe8000000000000000000000000000010c000000800d0000, fi_addr_efa://[fe80::1]:12:3456, 32",
    "IB_UD, fe80000000000000000000000000000111000000220001800000030000000000,"
        + " fi_addr_ib_ud://fe80::1:11/22/8001/3, 37"
  })
  void otherFormatsPrint(
      AddressFormat format,
      String hex,
      String text,
      int length,
      ConformanceEnvironment environment) {
    assertThat(FabricAddress.of(format, bytes(hex)).toText()).isEqualTo(text);
    assertThat(text.length() + 1).isEqualTo(length);
    Setup setup = Setup.of(ApiVersion.LATEST).format(format);
    if (!environment.answer(setup.hints()).offers().isEmpty()) {
      prints(environment.vector(setup), bytes(hex), text);
    }
  }

  @Proves({"AV-148", "AV-149"})
  @Variants
  void whatWasInsertedPrints(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
    for (long handle : variant.insert(vector, variant.list(1, 9)).fi()) {
      int length = vector.lookup(handle, buffer);
      String text = vector.lookup(handle).toText();

      prints(vector, buffer.asSlice(0, length), text);

      assertThat(FabricAddress.parse(text).toText()).isEqualTo(text);
    }
  }

  @Proves("AV-148")
  @Test
  void textPrintsAsItIs(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.STR));
    String text = "FI_Sockaddr_IN://10.1.1.1:5000?spelling=kept";

    prints(vector, Addresses.pack(AddressFormat.STR, List.of(new TextAddress(text))), text);
  }

  @Proves("AV-148")
  @Test
  @SuppressWarnings("NullAway") // missing arguments are the point
  void whatHasNoTextGivesNone(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR));
    byte[] buffer = {7, 7, 7, 7};
    MemorySegment unknown = bytes("6300" + PACKED.substring(4));

    assertThat(vector.toText(unknown)).isNull();
    assertThat(vector.toText(unknown, MemorySegment.ofArray(buffer))).isNull();
    assertThat(buffer).containsOnly(7);
    assertThat(vector.toText(null)).isNull();
    assertThat(vector.toText(null, MemorySegment.ofArray(buffer))).isNull();
    assertThat(buffer).containsOnly(7);
  }

  @Proves({"AV-150", "AV-151", "AV-153", "AV-154", "AV-011"})
  @EachProfile
  void shortBuffersTruncate(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    byte[] all = TEXT.getBytes(StandardCharsets.US_ASCII);
    for (int capacity = 0; capacity <= 64; capacity++) {
      byte[] bytes = new byte[72];
      Arrays.fill(bytes, (byte) 0x55);
      MemorySegment buffer = MemorySegment.ofArray(bytes).asSlice(0, capacity);

      AddressText answer = Expect.present(vector.toText(sample(), buffer));

      assertThat(answer.length()).as("length at capacity %s", capacity).isEqualTo(32);
      assertThat(answer.buffer()).isSameAs(buffer);
      int shown = Math.max(0, Math.min(capacity - 1, 31));
      assertThat(Arrays.copyOf(bytes, shown)).isEqualTo(Arrays.copyOf(all, shown));
      for (int i = capacity == 0 ? 0 : shown + 1; i < 72; i++) {
        assertThat(bytes[i]).as("byte %s at capacity %s", i, capacity).isEqualTo((byte) 0x55);
      }
      if (capacity > 0) {
        assertThat(bytes[shown]).as("always ended").isZero();
      }
    }
  }

  @Proves("AV-153")
  @ParameterizedTest
  @CsvSource({"1, ''", "2, f", "11, fi_sockadd", "27, fi_sockaddr_in://10.31.6.1"})
  void truncatedTexts(int capacity, String text, ConformanceEnvironment environment) {
    MemorySegment buffer = MemorySegment.ofArray(new byte[capacity]);

    environment.vector().toText(sample(), buffer);

    assertThat(buffer.getString(0)).isEqualTo(text);
  }

  @Proves("AV-152")
  @EachProfile
  void theCandidatePassesTheLengthByValue(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    byte[] bytes = new byte[64];
    Arrays.fill(bytes, (byte) 0x55);
    MemorySegment buffer = MemorySegment.ofArray(bytes);
    if (!setup.isAppendOnly()) {
      Expect.failure(Errno.ENOSYS, () -> HistoricVector.of(vector).toText(sample(), buffer, 11));
      return;
    }

    assertThat(HistoricVector.of(vector).toText(sample(), buffer, 11)).isSameAs(buffer);

    assertThat(buffer.getString(0)).isEqualTo("fi_sockadd");
    assertThat(bytes[11]).as("only as much as was allowed").isEqualTo((byte) 0x55);
    AddressText size = Expect.present(vector.toText(sample(), buffer));
    assertThat(size.length()).as("the size is a question of its own").isEqualTo(32);
  }

  @Proves("AV-078")
  @Variants(formats = AddressFormat.STR)
  void textsAreKeptAsSpelt(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    List<FabricAddress> texts =
        List.of(
            new TextAddress(TEXT),
            new TextAddress("FI_SOCKADDR_IN://10.31.6.2:7471?qos=3"),
            new TextAddress("fi_sockaddr_in6://[2001:DB8::1]:7471"));

    long[] fi = variant.form().insert(vector, texts).fi();

    for (int i = 0; i < 3; i++) {
      assertThat(vector.lookup(fi[i])).isEqualTo(texts.get(i));
    }
    byte[] bytes = new byte[32];
    assertThat(vector.lookup(fi[0], MemorySegment.ofArray(bytes))).isEqualTo(32);
    assertThat(bytes).isEqualTo((TEXT + "\0").getBytes(StandardCharsets.US_ASCII));
    assertThat(vector.find(new TextAddress("fi_sockaddr_in6://[2001:db8::1]:7471")))
        .isEqualTo(fi[2]);
  }

  @Proves("AV-078")
  @Variants(formats = AddressFormat.STR)
  void malformedTextsFailAlone(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    List<String> malformed = new ArrayList<>(ParserTests.MALFORMED);
    malformed.addAll(ParserTests.NO_TEXT);
    malformed.add("fi_shm://foo");
    if (FabricTexts.areIn(vector.domain().info())) {
      malformed.removeIf(FabricTexts::hasFormat);
    }
    for (String text : malformed) {
      var inserted = variant.insert(vector, variant.a(1), new TextAddress(text), variant.a(2));

      assertThat(inserted.st()).as("statuses with \"%s\"", text).containsExactly(0, 22, 0);
      vector.remove(new long[] {inserted.fi(0), inserted.fi(2)});
    }
    assertThat(vector.size()).isZero();
  }

  @Proves("AV-078")
  @Test
  void aTextWithoutEndFailsWithAllThatFollows(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.STR));
    byte[] endless = (TEXT + "\0" + TEXT).getBytes(StandardCharsets.US_ASCII);
    long[] fi = {7, 7};
    int[] st = {-1, -1};

    int inserted =
        vector.insert(
            MemorySegment.ofArray(endless),
            2,
            MemorySegment.ofArray(fi),
            MemorySegment.ofArray(st),
            InsertFlag.SYNC_ERR.mask(),
            null);

    assertThat(inserted).isEqualTo(1);
    assertThat(fi).containsExactly(0, -1);
    assertThat(st).containsExactly(0, Errno.EINVAL.number());
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves({"AV-149", "AV-154"})
  @Test
  void printingLeavesEntriesAlone(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    vector.insert(a(1));

    prints(vector, sample(), TEXT);

    assertThat(vector.size()).isEqualTo(1);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
  }
}
