// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AddressFormatTest {
  private static final Set<AddressFormat> INTERNET =
      EnumSet.of(AddressFormat.SOCKADDR_IN, AddressFormat.SOCKADDR_IN6, AddressFormat.SOCKADDR_IP);

  @Test
  @DisplayName("Section 1.7: which formats go together")
  void compatible() {
    for (AddressFormat one : AddressFormat.values()) {
      for (AddressFormat other : AddressFormat.values()) {
        assertThat(one.isCompatibleWith(other))
            .as("%s and %s", one, other)
            .isEqualTo(isCompatible(one, other))
            .isEqualTo(other.isCompatibleWith(one));
      }
    }
  }

  /** The rule written down once more, the other way round: by what does not go together. */
  private static boolean isCompatible(AddressFormat one, AddressFormat other) {
    Set<AddressFormat> pair = EnumSet.of(one, other);
    if (one == other || pair.contains(AddressFormat.UNSPECIFIED)) {
      return true;
    }
    if (pair.contains(AddressFormat.SOCKADDR)) {
      return pair.contains(AddressFormat.SOCKADDR_IB) || INTERNET.stream().anyMatch(pair::contains);
    }
    return pair.contains(AddressFormat.SOCKADDR_IP) && INTERNET.containsAll(pair);
  }

  @ParameterizedTest
  @EnumSource
  void numbers(AddressFormat format) {
    assertThat(AddressFormat.of(format.number())).isEqualTo(format);
    assertThat(format.number()).isBetween(0, 17);
  }

  @Test
  void unknownNumbers() {
    assertThat(AddressFormat.of(18)).isNull();
    assertThat(AddressFormat.of(-1)).isNull();
  }
}
