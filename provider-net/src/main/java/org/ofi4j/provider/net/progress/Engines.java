// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
  private volatile NetProgress[] all;

  /**
   * The engines of an endpoint, which do not move its data yet.
   *
   * @param target the endpoint
   * @param all its engines
   */
  public Engines(ProgressTarget target, Stream<NetProgress> all) {
    this.target = target;
    this.all = all.toArray(NetProgress[]::new);
  }

  /** Returns the engines behind the queues and counters that are bound to an endpoint. */
  public static Stream<NetProgress> of(EndpointOpening opening) {
    return opening.engines().map(NetProgress.class::cast);
  }

  /** The readers of the queues, or the thread of the domain, move the data from now on. */
  public void begin() {
    for (NetProgress engine : different()) {
      engine.add(target);
    }
  }

  /** The data is not moved any more; when this returns, the ports of closed channels are free. */
  public void end() {
    for (NetProgress engine : different()) {
      engine.remove(target);
    }
  }

  private NetProgress[] different() {
    return Arrays.stream(all).distinct().toArray(NetProgress[]::new);
  }

  /** The readers of more queues move the data, too. */
  public synchronized void add(List<NetProgress> more) {
    for (NetProgress engine : more) {
      boolean known = Arrays.asList(all).contains(engine);
      all = Stream.concat(Arrays.stream(all), Stream.of(engine)).toArray(NetProgress[]::new);
      if (!known) {
        engine.add(target);
      }
    }
  }

  /** The readers of some queues that were {@linkplain #add added} do not move the data any more. */
  public synchronized void remove(List<NetProgress> some) {
    for (NetProgress engine : some) {
      List<NetProgress> rest = new ArrayList<>(Arrays.asList(all));
      rest.remove(engine);
      all = rest.toArray(NetProgress[]::new);
      if (!rest.contains(engine)) {
        engine.remove(target);
      }
    }
  }

  /** The endpoint waits for something else than before. */
  public void changed() {
    for (NetProgress engine : all) {
      engine.changed(target);
    }
  }

  /** Has the selectors let go of channels that were closed while the endpoint stays. */
  public void closedChannels() {
    for (NetProgress engine : all) {
      engine.closedChannels();
    }
  }
}
