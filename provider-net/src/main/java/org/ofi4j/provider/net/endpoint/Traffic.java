package org.ofi4j.provider.net.endpoint;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressTarget;

/**
 * What an endpoint is from being enabled until it is closed: a name under which peers reach it, and
 * data that the engines of its queues move.
 */
public abstract class Traffic extends ProgressTarget {
  private final FabricAddress name;
  private final Counters counters;
  private final NetProgress[] engines;

  /**
   * Traffic that nobody moves yet.
   *
   * @param name where peers reach the endpoint
   * @param transmit what sends are reported to, or null for an endpoint that only receives
   * @param receive what receives are reported to, or null for one that only sends
   */
  protected Traffic(FabricAddress name, @Nullable Binding transmit, @Nullable Binding receive) {
    this.name = name;
    counters =
        Stream.of(transmit, receive)
            .filter(Objects::nonNull)
            .map(Binding::counters)
            .findFirst()
            .orElseGet(Counters::new);
    engines =
        Stream.of(transmit, receive)
            .filter(Objects::nonNull)
            .flatMap(Binding::engines)
            .distinct()
            .toArray(NetProgress[]::new);
  }

  final FabricAddress name() {
    return name;
  }

  /** The counters of the endpoint. */
  protected final Counters counters() {
    return counters;
  }

  /** From now on the readers of its queues, or the domain's thread, move its data. */
  final void join() {
    for (NetProgress engine : engines) {
      engine.add(this);
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
  final void close() {
    try {
      end();
    } finally {
      for (NetProgress engine : engines) {
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
