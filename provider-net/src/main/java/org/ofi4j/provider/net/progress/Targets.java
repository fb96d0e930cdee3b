// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.util.Arrays;

/** A few progress targets, gone through often and without garbage, changed seldom. */
final class Targets {
  private static final ProgressTarget[] NONE = {};

  private volatile ProgressTarget[] present = NONE;

  /** Those that are there now; not to be changed. */
  public ProgressTarget[] all() {
    return present;
  }

  public synchronized void add(ProgressTarget target) {
    ProgressTarget[] more = Arrays.copyOf(present, present.length + 1);
    more[present.length] = target;
    present = more;
  }

  public synchronized void remove(ProgressTarget target) {
    present =
        Arrays.stream(present).filter(each -> !each.equals(target)).toArray(ProgressTarget[]::new);
  }
}
