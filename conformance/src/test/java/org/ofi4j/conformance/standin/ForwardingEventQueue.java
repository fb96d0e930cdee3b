// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.time.Duration;
import java.util.function.Consumer;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.QueueStatistics;

/** Stands in for an event queue. */
public class ForwardingEventQueue extends ForwardingObject<EventQueue> implements EventQueue {
  /** Makes a stand-in. */
  public ForwardingEventQueue(EventQueue real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public Fabric fabric() {
    return (Fabric) standIns().of(real().fabric());
  }

  @Override
  public QueueStatistics statistics() {
    return real().statistics();
  }

  @Override
  public int poll(Consumer<? super Event> handler, int limit) {
    return real().poll(event -> handler.accept(standIns().translate(event)), limit);
  }

  @Override
  public Event read() {
    return standIns().translate(real().read());
  }

  @Override
  public Event read(Duration timeout) throws InterruptedException {
    return standIns().translate(real().read(timeout));
  }

  @Override
  public void whenReady(Runnable callback) {
    real().whenReady(callback);
  }

  @Override
  public Event peek() {
    return standIns().translate(real().peek());
  }

  @Override
  public Event.Failure readError() {
    return standIns().translate(real().readError());
  }
}
