// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.transfer.TransmitContext;

/**
 * What the traffic of an endpoint is opened with.
 *
 * @param domain has the memory that peers may reach
 * @param transmit what sends are reported to; null for an endpoint that only receives, or whose
 *     contexts are opened later
 * @param receive what receives are reported to; null for an endpoint that only sends, or whose
 *     contexts are opened later
 * @param sharing the receives that it shares with other endpoints, which know of it; null if it has
 *     its own
 */
record Opening(
    EndpointDomain domain,
    FabricInfo info,
    ConnectionSettings settings,
    @Nullable Binding transmit,
    @Nullable Binding receive,
    @Nullable SharedReceives sharing) {
  /** A selector of its own; null if a thread of the domain tells what is ready. */
  @Nullable Selector selector() {
    try {
      return domain.progressThread() != null ? null : Selector.open();
    } catch (IOException failed) {
      throw noSelector(failed);
    }
  }

  static FabricException noSelector(IOException failed) {
    return new FabricException(
        Errno.ENOMEM,
        "no selector for the endpoint: " + failed + "; raise the limit of open files",
        failed);
  }

  Stream<NetProgress> engines() {
    return settings.engines(transmit, receive, domain.progressThread() == null);
  }

  /** What sends go through, if there are any. */
  @Nullable TransmitContext sends() {
    return transmit == null ? null : new TransmitContext(transmit, info.transmit().size());
  }

  /**
   * What messages are received by, if they are.
   *
   * @param peers tells who sends, or null where that is not asked
   */
  @Nullable Receiving receives(@Nullable TransferPeers peers) {
    if (receive == null) {
      return null;
    }
    return sharing == null
        ? Receiving.own(receive, peers, info)
        : sharing.receiving(receive, peers, info);
  }

  Counters counters() {
    return Binding.counters(transmit, receive);
  }
}
