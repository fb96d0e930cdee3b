// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.FabricObject;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.net.progress.Engines;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.sharedmemory.MemorySharing;

/**
 * The settings of the connections of an endpoint; times in nanoseconds.
 *
 * @param events where lost peers, or the connections of an endpoint with one, are reported; null
 *     without such a queue
 * @param connectTimeout how long sends wait for a connection
 * @param peerTimeout how long a connection may go without a sign of life
 * @param idleTimeout how long a connection stays open that is not needed; {@link #NEVER} for ever
 * @param security of all connections; null for connections in the clear
 * @param sharing the memory that is shared with peers on this host
 */
public record ConnectionSettings(
    FabricObject endpoint,
    @Nullable Events events,
    long connectTimeout,
    long peerTimeout,
    long idleTimeout,
    @Nullable TransportSecurity security,
    MemorySharing sharing) {
  public static final long NEVER = Long.MAX_VALUE;

  /** Returns the settings of an endpoint that is about to be opened. */
  public static ConnectionSettings of(EndpointOpening opening) {
    ConnectionOptions options = opening.connections();
    Duration idle = options.idleTimeout();
    return new ConnectionSettings(
        opening.endpoint(),
        opening.events(),
        nanoseconds(options.connectTimeout()),
        nanoseconds(options.peerTimeout()),
        idle == null ? NEVER : nanoseconds(idle),
        options.security(),
        MemorySharing.of(options.sharedMemory()));
  }

  /** A time in nanoseconds; what is longer makes no difference, and the sum with a time is one. */
  public static long nanoseconds(Duration time) {
    return Math.min(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE / 4);
  }

  /**
   * Returns the engines that move the data.
   *
   * @param manual whether the readers of queues do, and those of the event queue too
   */
  public Stream<NetProgress> engines(EndpointOpening opening, boolean manual) {
    Stream<NetProgress> those = Engines.of(opening);
    return manual && events != null
        ? Stream.concat(those, Stream.of((NetProgress) events.drive(ManualProgress::new)))
        : those;
  }
}
