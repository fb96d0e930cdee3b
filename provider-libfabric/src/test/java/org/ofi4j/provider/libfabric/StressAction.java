// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An action of the stress test beside sending and receiving. The system property {@value #WITHOUT}
 * names actions that a run leaves out, to find those that a failure needs.
 */
enum StressAction {
  /** Receives that are shorter than messages. */
  SHORT,
  /** Messages of more than 4,096 bytes. */
  LARGE,
  /** Receives of several messages. */
  SEVERAL,
  /** Receives that take messages with any tag. */
  WILDCARD,
  /** Withdrawn receives. */
  CANCEL,
  /** Several endpoints of one domain. */
  MANY,
  /** Endpoints that are closed while others of their domain stay. */
  CLOSE,
  /** Domains that are closed and opened again. */
  REOPEN,
  /** Peers that are removed from vectors. */
  REMOVE,
  /** Writes and reads of memory of peers. */
  ACCESS,
  /** Accesses that have to fail. */
  FORBIDDEN,
  /** Automatic progress. */
  AUTOMATIC,
  /** Processes that are killed. */
  KILL,
  /** Processes that exit with endpoints open. */
  EXIT,
  /** Processes that end with nothing open. */
  END,
  /** Processes that are stopped for a while. */
  STOP;

  static final String WITHOUT = "ofi4j.stress.without";

  private static final Set<StressAction> LEFT_OUT = EnumSet.noneOf(StressAction.class);

  static {
    for (String each : System.getProperty(WITHOUT, "").split(",")) {
      if (!each.isEmpty()) {
        LEFT_OUT.add(valueOf(each.toUpperCase(Locale.ROOT)));
      }
    }
  }

  /** Whether this JVM has it. */
  boolean isOn() {
    return !LEFT_OUT.contains(this);
  }

  /** The option for processes that leave out what this JVM does, and more. */
  static String option(Set<StressAction> more) {
    Set<StressAction> all = EnumSet.noneOf(StressAction.class);
    all.addAll(LEFT_OUT);
    all.addAll(more);
    return "-D%s=%s"
        .formatted(WITHOUT, all.stream().map(Enum::name).collect(Collectors.joining(",")));
  }
}
