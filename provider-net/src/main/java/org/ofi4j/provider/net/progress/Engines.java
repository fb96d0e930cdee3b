// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.ofi4j.provider.kit.EndpointOpening;

/**
 * The engines that move the data of one endpoint: those of its queues, counters and event queue.
 * Any thread may call.
 */
public final class Engines {
  private final ProgressTarget target;

  // Changes while contexts of a scalable endpoint are opened and closed; an engine of several
  // contexts is there several times.
  private final List<NetProgress> all;

  // One object, so that a change makes no garbage.
  private final Consumer<NetProgress> change;

  /**
   * The engines of an endpoint, which do not move its data yet.
   *
   * @param target the endpoint
   * @param all its engines
   */
  public Engines(ProgressTarget target, Stream<NetProgress> all) {
    this.target = target;
    this.all = new CopyOnWriteArrayList<>(all.toList());
    change = engine -> engine.changed(target);
  }

  /** Returns the engines behind the queues and counters that are bound to an endpoint. */
  public static Stream<NetProgress> of(EndpointOpening opening) {
    return opening.engines().map(NetProgress.class::cast);
  }

  /** The readers of the queues, or the thread of the domain, move the data from now on. */
  public void begin() {
    all.stream().distinct().forEach(engine -> engine.add(target));
  }

  /** The data is not moved any more; when this returns, the ports of closed channels are free. */
  public void end() {
    all.stream().distinct().forEach(engine -> engine.remove(target));
  }

  /** The readers of more queues move the data, too. */
  public synchronized void add(List<NetProgress> more) {
    for (NetProgress engine : more) {
      boolean known = all.contains(engine);
      all.add(engine);
      if (!known) {
        engine.add(target);
      }
    }
  }

  /** The readers of some queues that were {@linkplain #add added} do not move the data any more. */
  public synchronized void remove(List<NetProgress> some) {
    for (NetProgress engine : some) {
      all.remove(engine);
      if (!all.contains(engine)) {
        engine.remove(target);
      }
    }
  }

  /** The endpoint waits for something else than before. */
  public void changed() {
    all.forEach(change);
  }

  /** Has the selectors let go of channels that were closed while the endpoint stays. */
  public void closedChannels() {
    all.forEach(NetProgress::closedChannels);
  }
}
