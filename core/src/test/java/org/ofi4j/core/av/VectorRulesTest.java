// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.fails;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.InsertFlag;
import org.ofi4j.Profile;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

@DisplayName("What versions change (requirements 3.1 and 3.2)")
class VectorRulesTest {
  private static VectorRules of(int major, int minor) {
    return of(TestInfo.defaults().version(major, minor));
  }

  private static VectorRules of(TestInfo info) {
    return VectorRules.of(VectorOptions.map(), info.build());
  }

  @Test
  @Tag("AV-079")
  @Tag("AV-083")
  @Tag("AV-204")
  void candidateAndReleaseOf10DifferThoughNumberedAlike() {
    VectorRules candidate = of(1, 0);
    assertThat(candidate.nullMeansAny()).isTrue();
    assertThat(candidate.started(3)).isEqualTo(3);
    assertThat(candidate.reusesIndices()).isFalse();
    VectorRules release =
        of(TestInfo.defaults().version(ApiVersion.V1_0).profile(Profile.RELEASE_1_0));
    assertThat(release.nullMeansAny()).isFalse();
    assertThat(release.started(3)).isZero();
    assertThat(release.reusesIndices()).isTrue();
    assertThat(release.insertFlags()).isEqualTo(of(1, 1).insertFlags());
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
    TestInfo info = TestInfo.defaults().version(major, minor);
    VectorRules rules = of(info);
    assertThat(rules.options().duplicates()).isEqualTo(duplicates);
    TestInfo withIds = info.capabilities(Capability.AV_USER_ID);
    VectorOptions ids = VectorOptions.map().withFlags(VectorFlag.USER_ID);
    opensIf(keysAndIds, ids, withIds);
    if (keysAndIds) {
      rules.checkKeyCall("insertAuthKey");
      VectorRules.of(ids, withIds.build()).checkSetUserId();
    } else {
      fails(Errno.ENOSYS, "came with API version 1.20", () -> rules.checkKeyCall("insertAuthKey"));
      fails(Errno.ENOSYS, "came with API version 1.20", () -> rules.checkSetUserId());
    }
    assertThat(rules.hasGroups()).isEqualTo(groups);
    opensIf(text, VectorOptions.map(), info.format(AddressFormat.STR));
    opensIf(mixed, VectorOptions.map(), info.format(AddressFormat.SOCKADDR_IP));
    opensIf(true, VectorOptions.map(), info.format(AddressFormat.SOCKADDR_IN6));
    assertThat(rules.handlesAreIndices()).isEqualTo(mapIsTable);
    assertThat(VectorRules.of(VectorOptions.table(), info.build()).handlesAreIndices()).isTrue();
  }

  private static void opensIf(boolean known, VectorOptions options, TestInfo info) {
    if (known) {
      VectorRules.of(options, info.build());
    } else {
      fails(Errno.EINVAL, () -> VectorRules.of(options, info.build()));
    }
  }
}
