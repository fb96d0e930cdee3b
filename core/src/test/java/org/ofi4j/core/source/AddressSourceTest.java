// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.InsertionFailure;
import org.ofi4j.core.address.AddressCodec;

/** Reasons of addresses that nothing is wrong with and that were not inserted. */
class AddressSourceTest {
  private static InsertionFailure failure(Errno errno) {
    AddressSource source =
        new GivenAddresses(
            AddressCodec.of(AddressFormat.SOCKADDR_IN),
            List.of(new SocketAddress4(0x0A01_0101, 5000)));
    return source.failure(0, errno.number(), "no memory");
  }

  @ParameterizedTest
  @DisplayName("Each errno has the reason that it stands for")
  @CsvSource({
    "ECANCELED, 'an earlier address failed'",
    "EALREADY, REJECT",
    "ENOMEM, found no memory",
    "EINVAL, names no authorization key",
    "EAGAIN, another process held the lock until the vector was closed",
    "EIO, the files of the vector are damaged",
  })
  void reasons(Errno errno, String words) {
    assertThat(failure(errno).errno()).isEqualTo(errno);
    assertThat(failure(errno).reason()).contains(words);
  }

  @Test
  @DisplayName("Any other errno stands for itself")
  void others() {
    assertThat(failure(Errno.EOTHER).reason()).isEqualTo("failed with " + Errno.EOTHER);
  }
}
