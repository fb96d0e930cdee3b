// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;
import org.ofi4j.TransportSecurity;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.endpoint.Traffic;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.NetProgress;

/**
 * What an application has said of the connections of an endpoint.
 *
 * @param events where lost peers, or the connections of an endpoint with one, are reported; null if
 *     nobody wants to know
 * @param times how long connections may take, be silent and be idle
 * @param security what connections have to be; null for connections in the clear
 */
public record ConnectionSettings(
    FabricObject endpoint,
    @Nullable CoreEventQueue events,
    ConnectionTimes times,
    @Nullable TransportSecurity security) {
  /** What moves the data: readers of the event queue do, too, unless a thread does. */
  public Stream<NetProgress> engines(
      @Nullable Binding transmit, @Nullable Binding receive, boolean manual) {
    Stream<NetProgress> those = Traffic.engines(transmit, receive);
    return manual && events != null
        ? Stream.concat(those, Stream.of((NetProgress) events.drive(ManualProgress::new)))
        : those;
  }
}
