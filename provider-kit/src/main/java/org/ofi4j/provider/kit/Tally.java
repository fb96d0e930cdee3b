// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that one thread at a time changes, as under a lock, and that any thread reads at any
 * time without one. It costs what a field costs.
 *
 * <p>A thread that learns of an operation by other means, as by its completion, also finds it
 * counted if it was counted before.
 */
public final class Tally {
  private static final VarHandle VALUE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "value", VarHandle.class, Tally.class, long.class);

  private long value;

  /** Creates a tally of 0. */
  public Tally() {}

  /**
   * Adds a number. For one thread at a time.
   *
   * @param more the number, which may be negative
   */
  public void add(long more) {
    VALUE.setOpaque(this, value + more);
  }

  /**
   * Returns the sum of all numbers that were added.
   *
   * @return the sum
   */
  public long get() {
    return (long) VALUE.getOpaque(this);
  }
}
