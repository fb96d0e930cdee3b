package org.ofi4j.conformance.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.AvType;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
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

  private Scenarios() {}

  /**
   * Every edition with every format that it has.
   *
   * @return what domains to open
   */
  public static List<Setup> setups() {
    List<Setup> setups = new ArrayList<>();
    for (Setup edition : EDITIONS) {
      for (AddressFormat format : FORMATS) {
        if ((format == AddressFormat.STR && !edition.isAtLeast(ApiVersion.V1_5))
            || (format == AddressFormat.SOCKADDR_IP && !edition.isAtLeast(ApiVersion.V2_3))) {
          continue;
        }
        Setup setup = edition.format(format);
        setups.add(edition.isAtLeast(ApiVersion.V1_16) ? setup.caps(Capability.AV_USER_ID) : setup);
      }
    }
    return setups;
  }

  /**
   * Every type, policy and way of inserting; the rest is drawn.
   *
   * @param setup what the domain was opened with
   * @param seed decides what is drawn
   * @return what vectors to open
   */
  public static List<Scenario> of(Setup setup, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Scenario> scenarios = new ArrayList<>();
    for (AvType type : List.of(AvType.TABLE, AvType.MAP)) {
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
}
