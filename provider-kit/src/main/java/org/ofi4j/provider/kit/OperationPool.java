// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;

/**
 * The operations that may be under way in one direction of an endpoint ({@code tx_attr.size} and
 * {@code rx_attr.size}), made one by one when they are needed and used again. Guarded by the lock
 * of the transmitter or receiver, but for {@link #outstanding}.
 *
 * @param <T> the class of the operations
 */
public final class OperationPool<T extends Operation> {
  private final Operations<T> idle = new Operations<>();
  private final Supplier<T> factory;
  private final int size;
  private final SingleWriterCounter outstanding = new SingleWriterCounter();

  /**
   * A pool of which all operations are idle.
   *
   * @param size how many may be under way, at least 1
   * @param factory makes one more
   */
  public OperationPool(int size, Supplier<T> factory) {
    this.size = size;
    this.factory = factory;
  }

  /**
   * Takes an idle operation, which becomes one of a kind; returns null if {@code size} of them are
   * under way.
   *
   * @param what the kind, as {@link Operation#begin} takes it
   * @param tagged whether it is of a tagged message
   * @return the operation, or null
   */
  public @Nullable T take(CounterFlag what, boolean tagged) {
    if (outstanding.get() >= size) {
      return null;
    }
    T taken = idle.poll();
    if (taken == null) {
      taken = factory.get();
      taken.pool = this;
    }
    outstanding.add(1);
    taken.begin(what, tagged);
    return taken;
  }

  /**
   * Clears an operation that has ended, and makes it idle. An operation that is reported does this
   * by itself.
   *
   * @param operation an operation of this pool that is in no list
   */
  public void giveBack(T operation) {
    operation.clear();
    outstanding.add(-1);
    idle.add(operation);
  }

  @SuppressWarnings("unchecked") // it was taken from here
  void giveBackReported(Operation operation) {
    giveBack((T) operation);
  }

  /**
   * Returns how many are under way, or have ended and were not reported; for any thread.
   *
   * @return the number of operations, 0 to the size
   */
  public long outstanding() {
    return outstanding.get();
  }

  /** Forgets the idle ones: the direction is closed. */
  public void clear() {
    idle.clear();
  }
}
