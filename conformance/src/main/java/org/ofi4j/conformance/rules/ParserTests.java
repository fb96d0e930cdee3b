// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** The text form of addresses read back, by itself and as the node of {@code fi_av_insertsvc}. */
@ConformanceTest
class ParserTests {
  static final List<String> MALFORMED =
      List.of(
          "fi_sockaddr_in://10.31.6.1:",
          "fi_sockaddr_in://10.31.6.1:65536",
          "fi_sockaddr_in://10.31.6.1:70000",
          "fi_sockaddr_in://10.31.6.1:-1",
          "fi_sockaddr_in://10.31.6.1:+5",
          "fi_sockaddr_in://10.31.6.1:0x50",
          "fi_sockaddr_in://10.31.6.1:5x",
          "fi_sockaddr_in://10.31.6.1:99999999999999999999",
          "fi_sockaddr_in://host10:5000",
          "fi_sockaddr_in://localhost:5000",
          "fi_sockaddr_in://",
          "fi_sockaddr_in://256.1.1.1:5",
          "fi_sockaddr_in://1.1.1:5",
          "fi_sockaddr_in://1.1.1.1.1:5",
          "fi_sockaddr_in6://fe80::6:12:7471",
          "fi_sockaddr_in6://[fe80::1%lo]:80",
          "fi_sockaddr_in6://[fe80::1",
          "fi_sockaddr_in6://[fe80:::1]:80",
          "fi_sockaddr_in6://[1:2:3:4:5:6:7:8:9]:80",
          "fi_sockaddr_in6://[12345::]:80",
          "fi_addr_psmx3://1:2",
          "fi_addr_cxi://0x12345",
          "://");

  static final List<String> NO_TEXT = List.of("fi_sockaddr_in", "fi_sockaddr_in:10.1.1.1:5", "");

  private static final long SEED = 0x0F14_0178L;

  @Proves(partly = {"AV-112", "AV-148"})
  @ParameterizedTest
  @CsvSource({
    "fi_sockaddr_in://10.31.6.1:7471, 02001d2f0a1f06010000000000000000",
    "FI_SOCKADDR_IN://10.31.6.1:7471, 02001d2f0a1f06010000000000000000",
    "fi_sockaddr_in://10.31.6.1:7471?qos=3, 02001d2f0a1f06010000000000000000",
    "fi_sockaddr_in6://[fe80::6:12]:7471, 0a001d2f00000000fe80000000000000000000000006001200000000",
    "fi_sockaddr_in6://[::ffff:10.31.6.1]:80,"
        + " 0a0000500000000000000000000000000000ffff0a1f060100000000",
    "fi_sockaddr://10.31.6.12:7471, 02001d2f0a1f060c0000000000000000",
    "fi_sockaddr://10.31.6.12:7471?qos=3, 02001d2f0a1f060c0000000000000000",
    "fi_sockaddr://[fe80::6:12]:7471, 0a001d2f00000000fe80000000000000000000000006001200000000",
    "fi_sockaddr_ip://10.31.6.12:7471, 02001d2f0a1f060c0000000000000000"
  })
  void goodTextsGoIn(String text, String hex, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR));

    FabricAddress parsed = FabricAddress.parse(text);

    assertThat(HexFormat.of().formatHex(parsed.toBytes())).isEqualTo(hex);
    long handle = vector.insertService(text, null);
    assertThat(vector.lookup(handle)).isEqualTo(parsed);
    assertThat(vector.find(parsed)).isEqualTo(handle);
  }

  @Proves(partly = "AV-112")
  @ParameterizedTest
  @CsvSource({
    "fi_sockaddr_in://:7471, 02001d2f000000000000000000000000",
    "fi_sockaddr_in://10.31.6.1, 020000000a1f06010000000000000000",
    "fi_sockaddr_in://10.31.6.1/abc, 020000000a1f06010000000000000000",
    "fi_sockaddr_in6://[fe80::6:12], 0a00000000000000fe80000000000000000000000006001200000000",
    "fi_sockaddr_in6://:7471, 0a001d2f000000000000000000000000000000000000000000000000"
  })
  void incompleteTextsAreAddressesButCannotGoIn(
      String text, String hex, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR));

    assertThat(HexFormat.of().formatHex(FabricAddress.parse(text).toBytes())).isEqualTo(hex);

    assertThat(vector.insertService(text, null, InsertOptions.none()).error(0))
        .isEqualTo(Errno.EADDRNOTAVAIL.number());
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-112")
  @ParameterizedTest
  @FieldSource("MALFORMED")
  void malformedTextsAreRefused(String text, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR));

    Expect.invalid(() -> FabricAddress.parse(text));

    assertThat(vector.insertService(text, null, InsertOptions.none()).error(0))
        .isEqualTo(Errno.EINVAL.number());
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-112")
  @Test
  void textOfAnotherFabricIsAnAddressButCannotGoIn(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR));
    String text = "fi_shm://foo";

    assertThat(FabricAddress.parse(text)).isEqualTo(new TextAddress(text));

    assertThat(vector.insertService(text, null, InsertOptions.none()).error(0))
        .isEqualTo(Errno.EINVAL.number());
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-112")
  @ParameterizedTest
  @FieldSource("NO_TEXT")
  void whatIsNoTextOfAnAddressIsRefused(String text) {
    Expect.invalid(() -> FabricAddress.parse(text));
  }

  @Proves(partly = "AV-148")
  @Test
  void otherFormatsParse() {
    String gid = "fe8000000000000000000000000000010000000000000000";
    assertThat(parsed("fi_addr_efa://[fe80::1]")).startsWith(gid);
    assertThat(parsed("fi_sockaddr_ib://[fe80::1]:0x8001:0x13f:0x5:7471"))
        .isEqualTo(
            "1b00800100000000fe80000000000000000000000000000100000000013f1d2fffffffffffffffff"
                + "0000000000000005");
    assertThat(parsed("fi_addr_psmx2://1234abcd:ff")).isEqualTo("cdab341200000000ff00000000000000");
    Expect.failure(Errno.ENOSYS, () -> FabricAddress.parse("fi_addr_mlx://0x1234"));
    Expect.failure(Errno.ENOSYS, () -> FabricAddress.parse("fi_addr_ucx://0x1234"));
  }

  private static String parsed(String text) {
    return HexFormat.of().formatHex(FabricAddress.parse(text).toBytes());
  }

  @Proves(partly = "AV-148")
  @ParameterizedTest
  @EnumSource(
      value = AddressFormat.class,
      names = {"SOCKADDR_IN", "SOCKADDR_IN6", "EFA", "PSMX2", "PSMX3", "OPX"})
  void textAndBytesAreTheSameAddress(AddressFormat format) {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 2000; round++) {
      byte[] bytes = randomAddress(format, random);
      String text = FabricAddress.of(format, bytes).toString();
      assertThat(FabricAddress.parse(text).toBytes())
          .as("round %s: %s", round, text)
          .isEqualTo(bytes);
    }
  }

  private static byte[] randomAddress(AddressFormat format, SplittableRandom random) {
    int length =
        switch (format) {
          case SOCKADDR_IN6 -> 28;
          case EFA -> 24;
          case PSMX3 -> 32;
          case OPX -> 8;
          default -> 16;
        };
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    for (int i = 0; i < length; i++) {
      if (random.nextInt(3) == 0) {
        bytes[i] = 0; // runs of zeros are what printing IPv6 is about
      }
    }
    switch (format) {
      case SOCKADDR_IN -> {
        bytes[0] = 2;
        bytes[1] = 0;
        Arrays.fill(bytes, 8, 16, (byte) 0);
      }
      case SOCKADDR_IN6 -> {
        bytes[0] = 10;
        bytes[1] = 0;
        Arrays.fill(bytes, 4, 8, (byte) 0);
        Arrays.fill(bytes, 24, 28, (byte) 0);
      }
      case EFA -> Arrays.fill(bytes, 18, 20, (byte) 0);
      default -> {}
    }
    return bytes;
  }
}
