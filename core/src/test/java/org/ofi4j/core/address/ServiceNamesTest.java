// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Errno;

@Tag("AV-111")
class ServiceNamesTest {
  private final ServiceNames names =
      new ServiceNames(
          List.of(
              "# comment",
              "",
              "alpha\t\t1234/tcp\tfirst second # last words",
              "alpha           1235/udp",
              "only            4321/udp",
              "http            8080/tcp  # the file wins over the built-in table",
              "sctp-thing      99/sctp",
              "no-port         x/tcp",
              "too-large       70000/tcp",
              "short",
              "  led-by-blanks 77/tcp",
              "alpha           9999/tcp"));

  @Test
  void namesAndAliasesOfBothTransports() {
    assertThat(names.port("alpha", false)).isEqualTo(1234);
    assertThat(names.port("alpha", true)).isEqualTo(1235);
    assertThat(names.port("first", false)).isEqualTo(1234);
    assertThat(names.port("second", true)).isEqualTo(1234);
    assertThat(names.port("only", false)).isEqualTo(4321);
    assertThat(names.port("led-by-blanks", false)).isEqualTo(77);
  }

  @Test
  void fileBeforeTableAndTableBehindFile() {
    assertThat(names.port("http", true)).isEqualTo(8080);
    assertThat(names.port("https", true)).isEqualTo(443);
    assertThat(new ServiceNames(List.of()).port("http", false)).isEqualTo(80);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sctp-thing", "no-port", "too-large", "short", "comment", "", "nosuchsvc"})
  void othersAreNotKnown(String name) {
    assertThat(names.port(name, false)).isEqualTo(-1);
  }

  @Test
  @Tag("AV-109")
  void thisMachineKnowsHttp() {
    assertThat(ServiceNames.ofSystem().port("http", true)).isEqualTo(80);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "65535, 65535", "0, 0", "010, 10", "00000000000000000080, 80"})
  void decimalNumbers(String service, int port) {
    assertThat(ServicePort.of(service, this::neverAsked, true))
        .isEqualTo(new ServicePort(port, Errno.SUCCESS, ""));
  }

  private ServiceNames neverAsked() {
    throw new AssertionError("a number needs no names");
  }

  @ParameterizedTest
  @ValueSource(strings = {"65536", "70000", "99999999999999999999", "-1", "+80", " 80", "", "8 0"})
  void numbersThatAreNoPorts(String service) {
    ServicePort port = ServicePort.of(service, () -> names, true);
    assertThat(port.errno()).isEqualTo(Errno.EINVAL);
    assertThat(port.reason()).contains(service);
  }

  @Test
  void unknownNameSaysSo() {
    ServicePort port = ServicePort.of("nosuchsvc", () -> names, true);
    assertThat(port.errno()).isEqualTo(Errno.ENODATA);
    assertThat(port.reason()).contains("\"nosuchsvc\"", "not known");
    assertThat(port.isKnown()).isFalse();
  }
}
