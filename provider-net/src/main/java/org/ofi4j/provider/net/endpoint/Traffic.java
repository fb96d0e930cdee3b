// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.OpenEndpoint;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressTarget;

/**
 * What an endpoint is from being opened until it is closed: a name under which peers reach it, and
 * data that the engines of its queues move.
 */
public abstract class Traffic extends ProgressTarget implements OpenEndpoint {
  private final FabricAddress name;

  // Changes while contexts of a scalable endpoint are opened and closed; one that several of them
  // have is there several times.
  private volatile NetProgress[] engines;

  /**
   * Traffic that nobody moves yet.
   *
   * @param name where peers reach the endpoint
   */
  protected Traffic(FabricAddress name, Stream<NetProgress> engines) {
    this.name = name;
    this.engines = engines.toArray(NetProgress[]::new);
  }

  /** What moves the data behind queues and counters of this provider. */
  public static Stream<NetProgress> engines(@Nullable Binding transmit, @Nullable Binding receive) {
    return Binding.engines(transmit, receive).map(NetProgress.class::cast);
  }

  @Override
  public final FabricAddress name() {
    return name;
  }

  /** From now on the readers of its queues, or the domain's thread, move its data. */
  public final void join() {
    for (NetProgress engine : different()) {
      engine.add(this);
    }
  }

  private NetProgress[] different() {
    return Arrays.stream(engines).distinct().toArray(NetProgress[]::new);
  }

  /** From now on the readers of other queues move its data, too. */
  public final synchronized void join(List<NetProgress> more) {
    NetProgress[] before = engines;
    NetProgress[] after = Arrays.copyOf(before, before.length + more.size());
    for (int i = 0; i < more.size(); i++) {
      after[before.length + i] = more.get(i);
    }
    engines = after;
    Set<NetProgress> known = new HashSet<>(Arrays.asList(before));
    for (NetProgress engine : more) {
      if (known.add(engine)) {
        engine.add(this);
      }
    }
  }

  /**
   * The readers of some queues that were {@linkplain #join(List) joined} do not move it any more.
   */
  public final synchronized void part(List<NetProgress> some) {
    List<NetProgress> rest = new ArrayList<>(Arrays.asList(engines));
    some.forEach(rest::remove);
    engines = rest.toArray(NetProgress[]::new);
    for (NetProgress engine : new HashSet<>(some)) {
      if (!rest.contains(engine)) {
        engine.remove(this);
      }
    }
  }

  @Override
  public final void changed() {
    for (NetProgress engine : engines) {
      engine.changed(this);
    }
  }

  /** Has the selectors let go of channels that were closed while the endpoint stays. */
  protected final void closedChannels() {
    for (NetProgress engine : engines) {
      engine.closedChannels();
    }
  }

  /** Ends all traffic; when this returns, the ports are free. */
  @Override
  public final void close() {
    try {
      end();
    } finally {
      for (NetProgress engine : different()) {
        engine.remove(this);
      }
    }
  }

  /** Moves nothing any more, and closes all channels. */
  protected abstract void end();

  @Override
  public final String toString() {
    return "endpoint " + name;
  }
}
