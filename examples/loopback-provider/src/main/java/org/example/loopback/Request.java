// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.OperationPool;

/** An operation of a loopback endpoint, which goes back to its pool when it was reported. */
final class Request extends Operation {
  private final OperationPool<Request> pool;

  /** The address of the peer of a send, read or write. */
  long address;

  Request(OperationPool<Request> pool) {
    this.pool = pool;
  }

  @Override
  protected void reported() {
    pool.giveBack(this);
  }
}
