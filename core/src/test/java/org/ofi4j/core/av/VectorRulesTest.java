// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.InsertFlag;
import org.ofi4j.Profile;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorType;

@DisplayName("What versions change (requirements 3.1 and 3.2)")
class VectorBehaviourTest {
  private static VectorBehaviour of(int major, int minor) {
    ApiVersion version = new ApiVersion(major, minor);
    return VectorBehaviour.of(version, Profile.of(version));
  }

  @Test
  @Tag("AV-079")
  @Tag("AV-083")
  @Tag("AV-204")
  void candidateAndReleaseOf10DifferThoughNumberedAlike() {
    VectorBehaviour candidate = of(1, 0);
    assertThat(candidate.nullMeansAny()).isTrue();
    assertThat(candidate.asynchronousReturnsCount()).isTrue();
    assertThat(candidate.reusesIndices()).isFalse();
    VectorBehaviour release = VectorBehaviour.of(ApiVersion.V1_0, Profile.RELEASE_1_0);
    assertThat(release.nullMeansAny()).isFalse();
    assertThat(release.asynchronousReturnsCount()).isFalse();
    assertThat(release.reusesIndices()).isTrue();
    assertThat(release).isEqualTo(of(1, 1));
  }

  @ParameterizedTest(name = "{0}.{1}: flags {2}")
  @Tag("AV-097")
  @Tag("AV-222")
  @CsvSource({
    "1, 0, MORE",
    "1, 4, MORE",
    "1, 5, MORE SYNC_ERR",
    "1, 15, MORE SYNC_ERR",
    "1, 16, MORE SYNC_ERR USER_ID",
    "1, 20, MORE SYNC_ERR USER_ID AUTH_KEY",
    "2, 1, MORE SYNC_ERR USER_ID AUTH_KEY",
    "2, 2, MORE SYNC_ERR USER_ID AUTH_KEY FIREWALL_ADDRESS",
    "2, 7, MORE SYNC_ERR USER_ID AUTH_KEY FIREWALL_ADDRESS",
  })
  void insertFlags(int major, int minor, String names) {
    long mask = 0;
    for (String name : names.split(" ")) {
      mask |= InsertFlag.valueOf(name).mask();
    }
    assertThat(of(major, minor).insertFlags()).isEqualTo(mask);
  }

  @ParameterizedTest(name = "{0}.{1}")
  @CsvSource({
    // version, duplicates, ids set later, keys, groups, text, mixed format, MAP is TABLE
    "1, 4, NEW_INDEX, false, false, false, false, false",
    "1, 5, NEW_INDEX, false, false, true, false, false",
    "1, 14, NEW_INDEX, false, false, true, false, false",
    "1, 15, SHARE, false, false, true, false, false",
    "1, 19, SHARE, false, false, true, false, false",
    "1, 20, SHARE, true, false, true, false, false",
    "2, 0, SHARE, true, true, true, false, true",
    "2, 3, SHARE, true, true, true, true, true",
  })
  void incrementsOfTheReleases(
      int major,
      int minor,
      DuplicatePolicy duplicates,
      boolean keysAndIds,
      boolean groups,
      boolean text,
      boolean mixed,
      boolean mapIsTable) {
    VectorBehaviour behaviour = of(major, minor);
    assertThat(behaviour.duplicates()).isEqualTo(duplicates);
    assertThat(behaviour.userIdsLater()).isEqualTo(keysAndIds);
    assertThat(behaviour.authKeys()).isEqualTo(keysAndIds);
    assertThat((behaviour.openFlags() & VectorFlag.USER_ID.mask()) != 0).isEqualTo(keysAndIds);
    assertThat(behaviour.groups()).isEqualTo(groups);
    assertThat(behaviour.knows(AddressFormat.STR)).isEqualTo(text);
    assertThat(behaviour.knows(AddressFormat.SOCKADDR_IP)).isEqualTo(mixed);
    assertThat(behaviour.knows(AddressFormat.SOCKADDR_IN6)).isTrue();
    assertThat(behaviour.handlesAreIndices(VectorType.MAP)).isEqualTo(mapIsTable);
    assertThat(behaviour.handlesAreIndices(VectorType.TABLE)).isTrue();
  }
}
