// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.spi.ProgressEngine;

/**
 * All that is bound to an endpoint that is about to be opened.
 *
 * @param endpoint the endpoint of the application, which events name
 * @param domain its domain
 * @param regions the memory of the domain that peers reach, for a transport that touches it
 * @param info its information, with the address of the options if they have one
 * @param sends where sends, reads and writes are reported; null if it does none
 * @param receives where received messages are reported; null if it receives none
 * @param boundPeers the peers of its vector; null for an endpoint with one peer
 * @param events where connections are reported; null if the application does not want to know,
 *     which an endpoint with one peer always does
 * @param connections options of its connections
 * @param minMultiReceive how many bytes must be left of a buffer for several messages for it to
 *     take another one; 0 for the default
 * @param shared the receives that it shares with other endpoints; null if it has its own
 */
public record EndpointOpening(
    FabricObject endpoint,
    Domain domain,
    Regions regions,
    FabricInfo info,
    @Nullable Completions sends,
    @Nullable Completions receives,
    @Nullable Peers boundPeers,
    @Nullable Events events,
    ConnectionOptions connections,
    long minMultiReceive,
    @Nullable Receiver shared) {
  /**
   * Returns whether the domain has authorization keys in its vectors ({@code FI_AV_AUTH_KEY}).
   *
   * @return true if keys are in vectors
   */
  public boolean hasKeysInVectors() {
    return domain.info().domain().authKeySize() == FabricInfo.DomainAttributes.KEYS_IN_VECTOR;
  }

  /**
   * Returns the peers of the vector of an endpoint that has one.
   *
   * @return the peers
   * @throws NullPointerException if the endpoint has no vector
   */
  public Peers peers() {
    return Objects.requireNonNull(boundPeers);
  }

  /**
   * Returns the engines that move the data behind its queues and counters, each once.
   *
   * @return the engines
   */
  public Stream<ProgressEngine> engines() {
    return Stream.of(sends, receives)
        .filter(Objects::nonNull)
        .flatMap(Completions::engines)
        .distinct();
  }

  /**
   * Returns the numbers and counters of the endpoint.
   *
   * @return the counters, which are those of no application if neither direction is bound
   */
  public Counters counters() {
    Completions bound = sends == null ? receives : sends;
    return bound == null ? new Counters() : bound.counters();
  }
}
