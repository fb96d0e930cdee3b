package org.ofi4j.provider.net.endpoint;

import java.util.stream.Stream;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressTarget;

/**
 * What an endpoint is from being enabled until it is closed: a name under which peers reach it, and
 * data that the engines of its queues move.
 */
public abstract class Traffic extends ProgressTarget {
  private final FabricAddress name;
  private final NetProgress[] engines;

  /**
   * Traffic that nobody moves yet.
   *
   * @param name where peers reach the endpoint
   * @param engines those of its queues
   */
  protected Traffic(FabricAddress name, Stream<NetProgress> engines) {
    this.name = name;
    this.engines = engines.distinct().toArray(NetProgress[]::new);
  }

  public final FabricAddress name() {
    return name;
  }

  /** From now on the readers of its queues, or the domain's thread, move its data. */
  public final void join() {
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
  public final void close() {
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
