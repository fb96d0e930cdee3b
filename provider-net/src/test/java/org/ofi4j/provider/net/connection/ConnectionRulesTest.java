// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.provider.net.connection.Connection.State;
import org.ofi4j.provider.net.connection.ConnectionRules.Verdict;

class ConnectionRulesTest {
  @ParameterizedTest
  @CsvSource({
    // state,     same life, refused before, own, order, verdict
    "CONNECTING,  false,     false,          false, -1,  REFUSE",
    "CONNECTING,  false,     false,          false,  1,  REPLACE",
    "CONNECTING,  false,     false,          true,   0,  LOOPBACK",
    "CONNECTING,  false,     false,          true,   1,  LOOPBACK",
    "CONNECTING,  false,     false,          false,  0,  REFUSE",
    "REQUESTED,   false,     false,          false, -1,  REFUSE",
    "REQUESTED,   false,     false,          false,  1,  REPLACE",
    "REQUESTED,   false,     false,          true,  -1,  LOOPBACK",
    "REQUESTED,   false,     false,          false,  0,  REFUSE",
    "OPEN,        true,      false,          false,  1,  REFUSE",
    "OPEN,        true,      false,          false, -1,  REFUSE",
    "OPEN,        true,      true,           false,  1,  REPLACE",
    "OPEN,        true,      true,           false, -1,  REPLACE",
    "OPEN,        false,     false,          false,  1,  REPLACE",
    "OPEN,        false,     false,          false, -1,  REPLACE",
    "OPEN,        false,     true,           false,  0,  REFUSE",
    "OPEN,        false,     false,          true,   0,  LOOPBACK",
    "CLOSED,      true,      true,           false,  1,  REPLACE",
    "GREETING,    true,      false,          false, -1,  REPLACE",
  })
  void judges(
      State present,
      boolean sameLife,
      boolean refusedBefore,
      boolean own,
      int order,
      Verdict verdict) {
    assertThat(ConnectionRules.judge(present, sameLife, refusedBefore, own, order))
        .isEqualTo(verdict);
  }

  /** Whoever has the larger address refuses what the other one replaces its own with. */
  @Test
  void bothSidesKeepTheSameConnection() {
    for (State mine : new State[] {State.CONNECTING, State.REQUESTED}) {
      for (State its : new State[] {State.CONNECTING, State.REQUESTED}) {
        Verdict larger = ConnectionRules.judge(mine, false, false, false, -1);
        Verdict smaller = ConnectionRules.judge(its, false, false, false, 1);
        assertThat(larger).isEqualTo(Verdict.REFUSE);
        assertThat(smaller).isEqualTo(Verdict.REPLACE);
      }
    }
  }
}
