// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import org.ofi4j.ConnectionStatistics;
import org.ofi4j.provider.kit.SingleWriterCounter;

/** What became of the connections of an endpoint. Counted under its lock; any thread reads. */
public final class ConnectionTotals {
  private final SingleWriterCounter open = new SingleWriterCounter();
  private final SingleWriterCounter made = new SingleWriterCounter();
  private final SingleWriterCounter accepted = new SingleWriterCounter();
  private final SingleWriterCounter failed = new SingleWriterCounter();
  private final SingleWriterCounter lost = new SingleWriterCounter();
  private final SingleWriterCounter rejected = new SingleWriterCounter();
  private final SingleWriterCounter shared = new SingleWriterCounter();

  /** A connection is open that this side, or the peer, has begun. */
  void opened(boolean byPeer) {
    open.add(1);
    (byPeer ? accepted : made).add(1);
  }

  /** An open connection is open no more, for whatever reason. */
  void closed() {
    open.add(-1);
  }

  /** An open connection goes through shared memory from now on, or does no more. */
  void shared(boolean is) {
    shared.add(is ? 1 : -1);
  }

  /** An attempt to connect has failed. */
  public void failed() {
    failed.add(1);
  }

  /** An open connection has ended that should not have. */
  public void lost() {
    lost.add(1);
  }

  /** A connection was rejected; its number. */
  long rejected() {
    rejected.add(1);
    return rejected.get();
  }

  /** All of it. */
  public ConnectionStatistics statistics() {
    return ConnectionStatistics.builder()
        .open(open.get())
        .made(made.get())
        .accepted(accepted.get())
        .failed(failed.get())
        .lost(lost.get())
        .rejected(rejected.get())
        .shared(shared.get())
        .build();
  }
}
