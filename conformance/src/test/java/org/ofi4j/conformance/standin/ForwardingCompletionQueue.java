// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.time.Duration;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.QueueStatistics;

/** Stands in for a completion queue. */
public class ForwardingCompletionQueue extends ForwardingObject<CompletionQueue>
    implements CompletionQueue {
  /** Makes a stand-in. */
  public ForwardingCompletionQueue(CompletionQueue real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public Domain domain() {
    return (Domain) standIns().of(real().domain());
  }

  @Override
  public QueueStatistics statistics() {
    return real().statistics();
  }

  @Override
  public int poll(CompletionHandler handler, int limit) {
    return real().poll(handler, limit);
  }

  @Override
  public int poll(CompletionHandler handler, int limit, Duration timeout)
      throws InterruptedException {
    return real().poll(handler, limit, timeout);
  }

  @Override
  public Completion.Success read() {
    return real().read();
  }

  @Override
  public Completion read(Duration timeout) throws InterruptedException {
    return real().read(timeout);
  }

  @Override
  public void whenReady(Runnable callback) {
    real().whenReady(callback);
  }

  @Override
  public Completion.Failure readError() {
    return real().readError();
  }
}
