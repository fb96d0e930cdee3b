// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.InsertFlag;
import org.ofi4j.UserId;

/**
 * A sequence of operations on a vector and on its reference, the same for the same seed. What is
 * drawn depends on the seed and the reference alone, never on the vector under test.
 */
abstract class Run implements AutoCloseable {
  /** Begins a sequence. */
  interface Start {
    Run start(Domain domain, Scenario scenario, long seed);
  }

  final Domain domain;
  final Scenario scenario;
  final ApiVersion version;
  final SplittableRandom random;
  Subject subject;

  /** What is going on, for the message if it fails. */
  String operation = "open";

  Run(Domain domain, Scenario scenario, long seed) {
    this.domain = domain;
    this.scenario = scenario;
    version = domain.info().apiVersion();
    random = new SplittableRandom(seed);
    subject = new Subject(domain, scenario);
  }

  /** Does the next operation and compares what it did; throws AssertionError if it differs. */
  final void step() {
    try {
      operate();
      compareSome();
    } catch (AssertionError | RuntimeException different) {
      throw new AssertionError(operation + ": " + different.getMessage(), different);
    }
  }

  /** Does the next operation and compares what it returned. */
  abstract void operate();

  /** Compares a little of what the vector holds. */
  abstract void compareSome();

  /** Compares everything that the vector holds. */
  abstract void compareAll();

  /** A form that takes any number of addresses or handles. */
  final Subject.Form listForm() {
    return random.nextBoolean() ? Subject.Form.PACKED : Subject.Form.VALUES;
  }

  /** User ids for one insertion among so many, where insertions take any. */
  final long @Nullable [] userIds(int count, int oneIn) {
    boolean possible = !scenario.userIds() && domain.info().has(Capability.AV_USER_ID);
    return possible && random.nextInt(oneIn) == 0
        ? random.longs(count, -1, 9).toArray() // ids may look like anything
        : null;
  }

  /** The flags of an insertion; one among so many has a peer behind a firewall. */
  final long flags(long @Nullable [] ids, int firewallOneIn) {
    long flags = ids == null ? 0 : InsertFlag.USER_ID.mask();
    if (!scenario.asynchronous() && version.isAtLeast(ApiVersion.V1_5) && random.nextBoolean()) {
      flags |= InsertFlag.SYNC_ERR.mask();
    }
    if (version.isAtLeast(ApiVersion.V2_2) && random.nextInt(firewallOneIn) == 0) {
      flags |= InsertFlag.FIREWALL_ADDRESS.mask();
    }
    return flags;
  }

  /** Sets the id of an entry, or of none, and compares what becomes of it. */
  final void setUserId(long handle, long id, boolean isLive) {
    int possible = scenario.userIds() && isLive ? 0 : Errno.EINVAL.number();
    same(
        "errno of setUserId " + handle,
        version.isAtLeast(ApiVersion.V1_20) ? possible : Errno.ENOSYS.number(),
        Subject.errnoOf(() -> subject.vector().setUserId(handle, new UserId(id))));
  }

  static void same(String what, long expected, long actual) {
    if (expected != actual) {
      throw new AssertionError(what + ": expected " + expected + ", got " + actual);
    }
  }

  @Override
  public final void close() {
    subject.close();
  }
}
