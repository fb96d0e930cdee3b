// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.provider.kit.Operation;

/**
 * A completion without an operation that ends: a message in a buffer that takes several, a message
 * that was put aside, or data that a peer has written with. Used again. Guarded by the lock of the
 * domain.
 */
final class Arrival extends Operation {
  private final Consumer<Arrival> idle;

  /** Whether a received message is counted; what peers write is counted elsewhere. */
  boolean counted;

  Arrival(Consumer<Arrival> idle) {
    this.idle = idle;
  }

  @Override
  protected @Nullable CounterFlag counted() {
    return counted ? CounterFlag.RECEIVE : null;
  }

  @Override
  protected void reported() {
    clear();
    counted = false;
    idle.accept(this);
  }
}
