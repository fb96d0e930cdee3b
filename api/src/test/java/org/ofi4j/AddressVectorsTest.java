// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.TextAddress;

/** Every line of the tables of addresses: packed form to text, text to packed form. */
@Tag("AV-148")
class AddressVectorsTest {
  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static String hex(FabricAddress address) {
    return HexFormat.of().formatHex(address.toBytes());
  }

  @ParameterizedTest
  @DisplayName("AV-148 AV-151: packed address to text and its length with the zero byte")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SOCKADDR_IN|02001d2f0a1f06010000000000000000|fi_sockaddr_in://10.31.6.1:7471|32
          SOCKADDR_IN|02000000000000000000000000000000|fi_sockaddr_in://0.0.0.0:0|27
          SOCKADDR_IN6|0a001d2f00000000fe80000000000000000000000006001203000000|fi_sockaddr_in6://[fe80::6:12]:7471|36
          SOCKADDR_IN6|0a001d2f0000000000000000000000000000ffff0a1f060103000000|fi_sockaddr_in6://[::ffff:10.31.6.1]:7471|42
          SOCKADDR_IN6|0a001d2f0000000020010db800000000000100000000000103000000|fi_sockaddr_in6://[2001:db8::1:0:0:1]:7471|43
          SOCKADDR_IN6|0a001d2f000000000000000000000000000000000a01010103000000|fi_sockaddr_in6://[::10.1.1.1]:7471|36
          SOCKADDR_IN6|0a001d2f000000000000000000000000000000000000000003000000|fi_sockaddr_in6://[::]:7471|28
          SOCKADDR_IB|1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff0000000000000005|fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5|53
          PSMX2|cdab341200000000ff00000000000000|fi_addr_psmx2://1234abcd:ff|28
          PSMX3|010000000000000002000000000000000300000000000000efbeadde00000000|fi_addr_psmx3://1:2:3:deadbeef|31
          OPX|efcdab0000000000|fi_addr_opx://0000000000abcdef|31
          CXI|4523010000000000|fi_addr_cxi://0x00012345|25
          EFA|fe8000000000000000000000000000010c000000800d0000|fi_addr_efa://[fe80::1]:12:3456|32
          IB_UD|fe80000000000000000000000000000111000000220001800000030000000000|fi_addr_ib_ud://fe80::1:11/22/8001/3|37
          STR|66695f736f636b616464725f696e3a2f2f31302e33312e362e313a3734373100|fi_sockaddr_in://10.31.6.1:7471|32
          SOCKADDR|02001d2f0a1f06010000000000000000|fi_sockaddr_in://10.31.6.1:7471|32
          SOCKADDR|0a001d2f00000000fe80000000000000000000000006001203000000|fi_sockaddr_in6://[fe80::6:12]:7471|36
          SOCKADDR|1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff0000000000000005|fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5|53
          SOCKADDR_IP|02001d2f0a1f06010000000000000000|fi_sockaddr_in://10.31.6.1:7471|32
          SOCKADDR_IP|0a001d2f00000000fe80000000000000000000000006001203000000|fi_sockaddr_in6://[fe80::6:12]:7471|36
          """)
  void packedToText(AddressFormat format, String packed, String text, int length) {
    FabricAddress address = FabricAddress.of(format, bytes(packed));

    assertThat(address.toText()).isEqualTo(text);
    assertThat(address.toText().length() + 1).isEqualTo(length);
    assertThat(hex(address)).isEqualTo(packed);
  }

  @ParameterizedTest
  @DisplayName("D-38: text to packed address")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          fi_sockaddr_in://10.31.6.1:7471|SOCKADDR_IN|02001d2f0a1f06010000000000000000
          FI_SOCKADDR_IN://10.31.6.1:7471|SOCKADDR_IN|02001d2f0a1f06010000000000000000
          Fi_SockAddr_In://10.31.6.1:7471|SOCKADDR_IN|02001d2f0a1f06010000000000000000
          fi_sockaddr_in://:7471|SOCKADDR_IN|02001d2f000000000000000000000000
          fi_sockaddr_in://10.31.6.1|SOCKADDR_IN|020000000a1f06010000000000000000
          fi_sockaddr_in://10.31.6.1:7471?qos=3|SOCKADDR_IN|02001d2f0a1f06010000000000000000
          fi_sockaddr_in://10.31.6.1:7471/x?qos=3|SOCKADDR_IN|02001d2f0a1f06010000000000000000
          fi_sockaddr_in://10.31.6.1/abc|SOCKADDR_IN|020000000a1f06010000000000000000
          fi_sockaddr_in6://[fe80::6:12]:7471|SOCKADDR_IN6|0a001d2f00000000fe80000000000000000000000006001200000000
          fi_sockaddr_in6://[fe80::6:12]|SOCKADDR_IN6|0a00000000000000fe80000000000000000000000006001200000000
          fi_sockaddr_in6://:7471|SOCKADDR_IN6|0a001d2f000000000000000000000000000000000000000000000000
          fi_sockaddr_in6://[::ffff:10.31.6.1]:80|SOCKADDR_IN6|0a0000500000000000000000000000000000ffff0a1f060100000000
          fi_sockaddr://10.31.6.12:7471|SOCKADDR_IN|02001d2f0a1f060c0000000000000000
          fi_sockaddr://10.31.6.12:7471?qos=3|SOCKADDR_IN|02001d2f0a1f060c0000000000000000
          fi_sockaddr://[fe80::6:12]:7471|SOCKADDR_IN6|0a001d2f00000000fe80000000000000000000000006001200000000
          fi_sockaddr_ip://10.31.6.12:7471|SOCKADDR_IN|02001d2f0a1f060c0000000000000000
          fi_sockaddr_ip://[fe80::6:12]:7471|SOCKADDR_IN6|0a001d2f00000000fe80000000000000000000000006001200000000
          fi_addr_ib_ud://fe80::1:11/22/8001/3|IB_UD|fe80000000000000000000000000000111000000220001800000030000000000
          fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5|SOCKADDR_IB|1b00800100000000fe800000000000000002c90300010002000000000000000000000000000000000000000000000005
          fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5:7471|SOCKADDR_IB|1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff0000000000000005
          fi_sockaddr_ib://[fe80::2:c903:1:2]:32769:0X13F:5:7471|SOCKADDR_IB|1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff0000000000000005
          fi_addr_efa://[fe80::1]|EFA|fe800000000000000000000000000001 0000000000000000
          fi_addr_efa://[fe80::1]:12:3456|EFA|fe8000000000000000000000000000010c000000800d0000
          fi_addr_psmx2://1234abcd:ff|PSMX2|cdab341200000000ff00000000000000
          fi_addr_psmx3://1:2:3:deadbeef|PSMX3|010000000000000002000000000000000300000000000000efbeadde00000000
          fi_addr_opx://0000000000abcdef|OPX|efcdab0000000000
          """)
  void textToPacked(String text, AddressFormat format, String packed) {
    FabricAddress address = FabricAddress.parse(text);

    assertThat(address.format()).isEqualTo(format);
    assertThat(hex(address)).isEqualTo(packed.replace(" ", ""));
  }

  @ParameterizedTest
  @DisplayName("D-38: text that is refused with errno 22 and a reason")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          fi_sockaddr_in://10.31.6.1:|port
          fi_sockaddr_in://10.31.6.1:65536|port
          fi_sockaddr_in://10.31.6.1:70000|port
          fi_sockaddr_in://10.31.6.1:-1|port
          fi_sockaddr_in://10.31.6.1:+1|port
          fi_sockaddr_in://10.31.6.1:0x50|port
          fi_sockaddr_in://10.31.6.1:99999999999999999999999|port
          fi_sockaddr_in://10.31.6.1:٥٠٠٠|port
          fi_sockaddr_in://10.31.6.1:5000:1|port
          fi_sockaddr_in://host10:5000|names
          fi_sockaddr_in://localhost:5000|names
          fi_sockaddr_in://|IPv4
          fi_sockaddr_in://?qos=3|IPv4
          fi_sockaddr_in|format
          fi_sockaddr_in:10.1.1.1:5|format
          fi_sockaddr_in://256.1.1.1:5|IPv4
          fi_sockaddr_in://1.1.1:5|IPv4
          fi_sockaddr_in://167837953:5|IPv4
          fi_sockaddr_in://010.1.1.1:5|IPv4
          fi_sockaddr_in://0x0a.1.1.1:5|IPv4
          fi_sockaddr_in://1.1.1.1.1:5|IPv4
          fi_sockaddr_in:// 10.1.1.1:5|IPv4
          fi_sockaddr_in://[fe80::1]:5|IPv4
          fi_sockaddr_in6://fe80::6:12:7471|brackets
          fi_sockaddr_in6://10.1.1.1:5|brackets
          fi_sockaddr_in6://|brackets
          fi_sockaddr_in6://[fe80::1|brackets
          fi_sockaddr_in6://[]:5|IPv6
          fi_sockaddr_in6://[fe80::1%lo]:80|scope
          fi_sockaddr_in6://[fe80::1]80|port
          fi_sockaddr_in6://[fe80::1]:|port
          fi_sockaddr_in6://[1::2::3]:80|IPv6
          fi_sockaddr_in6://[1:2:3:4:5:6:7:8::]:80|IPv6
          fi_sockaddr_in6://[1:2:3:4:5:6:7]:80|IPv6
          fi_sockaddr_in6://[1:2:3:4:5:6:7:1.2.3.4]:80|IPv6
          fi_sockaddr_in6://[12345::]:80|IPv6
          fi_sockaddr_in6://[:::]:80|IPv6
          fi_sockaddr_in6://[1.2.3.4::]:80|IPv6
          fi_addr_psmx3://1:2|4
          fi_addr_psmx2://1:g|hexadecimal
          fi_addr_opx://12345678123456781|hexadecimal
          fi_addr_efa://fe80::1|brackets
          fi_addr_efa://[fe80::1]:65536|queue pair
          fi_addr_efa://[fe80::1]:1:4294967296|queue key
          fi_addr_efa://[fe80::1]:1:2:3|queue
          fi_addr_ib_ud://fe80::1:11:22:8001:3|gid
          fi_addr_ib_ud://fe80::1:11/22/18001/3|partition
          fi_sockaddr_ib://[fe80::1]:0x8001:0x13f|scope
          fi_sockaddr_ib://[fe80::1]:0x18001:0x13f:0x5|partition
          fi_sockaddr_ib://[fe80::1]:65536:0x13f:0x5|partition
          fi_addr_cxi://0x12345|fi_addr_cxi
          fi_addr_gni://?bytes=012|hexadecimal
          fi_addr_opx://1?bytes=0200000000000000|another
          fi_sockaddr_in6://[fe80::1]:5?scope=x|scope
          fi_sockaddr_in6://[fe80::1]:5?scope=1&flow=4294967296|flow
          fi_soc\u212Addr_in://10.1.1.1:5|format
          ://10.1.1.1:5|format
          localhost|fi_sockaddr_in://
          lo|fi_sockaddr_in://
          127.0.0.1|fi_sockaddr_in://
          ::1|fi_sockaddr_in://
          ""|fi_sockaddr_in://
          """)
  void malformedText(String text, String word) {
    FabricException refusal =
        catchThrowableOfType(FabricException.class, () -> FabricAddress.parse(text));

    assertThat(refusal).isNotNull();
    assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    assertThat(refusal).hasMessageContaining(word).hasMessageContaining("\"" + text + "\"");
  }

  @ParameterizedTest
  @DisplayName("Names in shared memory have no other form than their text")
  @ValueSource(strings = {"fi_shm://1234-abc:0:0", "FI_SHM://foo", "fi_ns://node:service"})
  void nameInSharedMemory(String text) {
    assertThat(FabricAddress.parse(text)).isEqualTo(new TextAddress(text)).hasToString(text);
  }

  @ParameterizedTest
  @DisplayName("Text of mlx and ucx addresses is errno 38")
  @ValueSource(strings = {"fi_addr_mlx://0x1", "fi_addr_ucx://0x1", "FI_ADDR_UCX://"})
  void textWithoutReader(String text) {
    FabricException refusal =
        catchThrowableOfType(FabricException.class, () -> FabricAddress.parse(text));

    assertThat(refusal.errno()).isEqualTo(Errno.ENOSYS);
  }

  @ParameterizedTest
  @DisplayName("Packed addresses of a wrong family or length are errno 22 and say so")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          SOCKADDR_IN|0a001d2f00000000fe80000000000000000000000006001203000000|family 10
          SOCKADDR_IN|63001d2f0a1f06010000000000000000|family 99
          SOCKADDR_IN|00000000000000000000000000000000|family 0
          SOCKADDR_IN|02001d2f0a1f060100000000000000|15 bytes
          SOCKADDR_IN6|02001d2f0a1f06010000000000000000000000000000000000000000|family 2
          SOCKADDR_IN6|0a001d2f00000000fe800000000000000000000000060012030000|27 bytes
          SOCKADDR|02|1 bytes
          SOCKADDR|""|0 bytes
          SOCKADDR|63001d2f0a1f06010000000000000000|family 99
          SOCKADDR|1b00800100000000fe80|10 bytes
          SOCKADDR_IP|1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff0000000000000005|family 27
          SOCKADDR_IB|02001d2f0a1f0601000000000000000000000000000000000000000000000000ffffffffffffffff0000000000000005|family 2
          PSMX2|cdab341200000000|8 bytes
          EFA|fe80000000000000|8 bytes
          STR|666f6f|zero byte
          STR|ff00|UTF-8
          GNI|""|0 bytes
          """)
  void malformedBytes(AddressFormat format, String packed, String word) {
    FabricException refusal =
        catchThrowableOfType(FabricException.class, () -> FabricAddress.of(format, bytes(packed)));

    assertThat(refusal).isNotNull();
    assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    assertThat(refusal).hasMessageContaining(word);
  }

  @ParameterizedTest
  @DisplayName("Formats without text keep their bytes and still print something")
  @ValueSource(strings = {"UNSPECIFIED", "PSMX", "GNI", "BGQ", "MLX", "UCX"})
  void opaqueFormats(AddressFormat format) {
    FabricAddress address = FabricAddress.of(format, bytes("0102030405"));

    assertThat(address).isEqualTo(new ProviderAddress(format, bytes("0102030405")));
    assertThat(address.toBytes()).isEqualTo(bytes("0102030405"));
    assertThat(address)
        .satisfies(whole -> assertThat(FabricAddress.parse(whole.toString())).isEqualTo(whole));
  }
}
