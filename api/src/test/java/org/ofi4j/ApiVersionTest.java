// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiVersionTest {
  @ParameterizedTest
  @DisplayName("FI_VERSION is major << 16 | minor")
  @CsvSource({"1, 0, 65536", "1, 3, 65539", "1, 20, 65556", "2, 1, 131073", "1, 65535, 131071"})
  void value(int major, int minor, int value) {
    assertThat(new ApiVersion(major, minor).value()).isEqualTo(value);
  }

  @Test
  @DisplayName("Versions compare as numbers, not as text")
  void order() {
    assertThat(ApiVersion.V1_20).isGreaterThan(ApiVersion.V1_5);
    assertThat(ApiVersion.V2_0).isGreaterThan(ApiVersion.V1_20);
    assertThat(new ApiVersion(0x8000, 0)).isGreaterThan(ApiVersion.LATEST);
    assertThat(ApiVersion.V1_5.isAtLeast(new ApiVersion(1, 5))).isTrue();
    assertThat(ApiVersion.V1_5.isAtLeast(ApiVersion.V1_15)).isFalse();
    assertThat(ApiVersion.V1_20).hasToString("1.20");
  }

  @ParameterizedTest
  @CsvSource({"0, 9", "-1, 0", "65536, 0", "1, -1", "1, 65536"})
  void refusesWhatDoesNotExist(int major, int minor) {
    FabricException refusal =
        catchThrowableOfType(FabricException.class, () -> new ApiVersion(major, minor));

    assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    assertThat(refusal).hasMessageContaining(major + "." + minor);
  }

  @ParameterizedTest
  @DisplayName("D-01: the version selects the profile")
  @CsvSource({
    "1, 0, CANDIDATE_1_0",
    "1, 1, RELEASE_1_0",
    "1, 3, RELEASE_1_0",
    "1, 19, RELEASE_1_0",
    "1, 20, RELEASE_1_20",
    "1, 22, RELEASE_1_20",
    "1, 65535, RELEASE_1_20",
    "2, 0, RELEASE_2_0",
    "2, 7, RELEASE_2_0",
    "3, 0, RELEASE_2_0",
  })
  void profile(int major, int minor, Profile profile) {
    assertThat(Profile.of(new ApiVersion(major, minor))).isEqualTo(profile);
  }
}
