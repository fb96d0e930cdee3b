// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A counter that one thread at a time changes, for example under a lock, and that any thread reads
 * without the lock. An addition is a plain read and an opaque write, so it needs no fence.
 *
 * <p>A thread that learns of an operation in another way that orders memory, for example by its
 * completion, also sees the additions that were made before.
 */
public final class SingleWriterCounter {
  private static final VarHandle VALUE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "value", VarHandle.class, SingleWriterCounter.class, long.class);

  private long value;

  /** Creates a counter of 0. */
  public SingleWriterCounter() {}

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
