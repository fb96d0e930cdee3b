// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that one thread at a time changes, as under a lock, and that any thread reads at any
 * time without one. Costs what a field costs.
 *
 * <p>Who comes to know of something by other means, as by its completion, also finds it counted if
 * it was counted before.
 */
public final class Tally {
  private static final VarHandle VALUE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "value", VarHandle.class, Tally.class, long.class);

  private long value;

  /** Adds a number, which may be negative. For one thread at a time. */
  public void add(long more) {
    VALUE.setOpaque(this, value + more);
  }

  /** The sum of all that was added. */
  public long get() {
    return (long) VALUE.getOpaque(this);
  }
}
