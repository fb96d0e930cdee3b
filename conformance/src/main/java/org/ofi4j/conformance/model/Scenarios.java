// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.Setup;

/** All that a vector can be, for random sequences to go through. */
public final class Scenarios {
  /** Every profile, and the versions at which something within a profile changes. */
  private static final List<Setup> EDITIONS =
      List.of(
          Setup.of(ApiVersion.V1_0),
          Setup.FINAL_1_0,
          Setup.of(ApiVersion.V1_3),
          Setup.of(ApiVersion.V1_15),
          Setup.of(ApiVersion.V1_16),
          Setup.of(ApiVersion.V1_20),
          Setup.of(ApiVersion.V2_1),
          Setup.of(ApiVersion.LATEST));

  private static final List<AddressFormat> FORMATS =
      List.of(
          AddressFormat.SOCKADDR_IN,
          AddressFormat.SOCKADDR_IN6,
          AddressFormat.SOCKADDR,
          AddressFormat.SOCKADDR_IP,
          AddressFormat.STR);

  /** Indices used once only, opaque handles, and everything that came later. */
  private static final List<ApiVersion> RANGE_VERSIONS =
      List.of(ApiVersion.V1_0, ApiVersion.V1_20, ApiVersion.LATEST);

  private static final List<AddressFormat> RANGE_FORMATS =
      List.of(AddressFormat.SOCKADDR_IN, AddressFormat.SOCKADDR_IN6, AddressFormat.SOCKADDR);

  private static final List<DuplicatePolicy> POLICIES =
      List.of(DuplicatePolicy.SHARE, DuplicatePolicy.REJECT, DuplicatePolicy.NEW_INDEX);

  private Scenarios() {}

  /** Every edition with every format that it has. */
  public static List<Setup> setups() {
    List<Setup> setups = new ArrayList<>();
    for (Setup edition : EDITIONS) {
      for (AddressFormat format : FORMATS) {
        if (edition.has(format)) {
          setups.add(withUserIds(edition.format(format)));
        }
      }
    }
    return setups;
  }

  /** The capability came with 1.16. */
  private static Setup withUserIds(Setup setup) {
    return setup.isAtLeast(ApiVersion.V1_16) ? setup.caps(Capability.AV_USER_ID) : setup;
  }

  /** Every type, policy and way of inserting; the rest is drawn. */
  public static List<Scenario> of(Setup setup, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Scenario> scenarios = new ArrayList<>();
    for (VectorType type : List.of(VectorType.TABLE, VectorType.MAP)) {
      for (DuplicatePolicy policy : DuplicatePolicy.values()) {
        for (boolean asynchronous : new boolean[] {false, true}) {
          scenarios.add(
              new Scenario(
                  setup.format(),
                  type,
                  policy,
                  asynchronous,
                  setup.isAtLeast(ApiVersion.V1_20) && random.nextInt(3) == 0,
                  random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 0));
        }
      }
    }
    return scenarios;
  }

  /** The editions and formats for sequences about ranges. */
  public static List<Setup> rangeSetups() {
    List<Setup> setups = new ArrayList<>();
    for (ApiVersion version : RANGE_VERSIONS) {
      for (AddressFormat format : RANGE_FORMATS) {
        setups.add(withUserIds(Setup.of(version).format(format)));
      }
    }
    return setups;
  }

  /** Every duplicate policy, and one of them with asynchronous insertion; the rest is drawn. */
  public static List<Scenario> ofRanges(Setup setup, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Scenario> scenarios = new ArrayList<>();
    for (DuplicatePolicy policy : POLICIES) {
      scenarios.add(rangeScenario(setup, policy, false, random));
    }
    DuplicatePolicy any = POLICIES.get(random.nextInt(POLICIES.size()));
    scenarios.add(rangeScenario(setup, any, true, random));
    return scenarios;
  }

  private static Scenario rangeScenario(
      Setup setup, DuplicatePolicy policy, boolean asynchronous, SplittableRandom random) {
    return new Scenario(
        setup.format(),
        random.nextInt(4) == 0 ? VectorType.MAP : VectorType.TABLE,
        policy,
        asynchronous,
        setup.isAtLeast(ApiVersion.V1_20) && random.nextInt(3) == 0,
        0);
  }
}
