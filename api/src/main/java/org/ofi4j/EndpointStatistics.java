// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * What an endpoint, or a context of a {@link ScalableEndpoint}, has done since it was opened:
 * {@link Endpoint#statistics}. An operation is counted before its completion can be read.
 *
 * @param sends messages that were sent
 * @param receives messages that were received, into a shared receive context by the endpoint that
 *     they came to; a receive that was cancelled counts as failed
 * @param reads reads of the memory of peers
 * @param writes writes to the memory of peers
 * @param remoteReads reads of own memory by peers; of a scalable endpoint in its receive context 0
 * @param remoteWrites writes to own memory by peers; of a scalable endpoint in the receive context
 *     that the peer names
 * @param outstandingTransmits sends, reads and writes that were posted and not reported: they are
 *     under way, or wait for a connection or for room in the completion queue
 * @param outstandingReceives receives that were posted and not reported; those of a shared receive
 *     context are of no endpoint
 * @param connections what became of its connections; all 0 for datagrams, which need none, and for
 *     contexts: see {@link ScalableEndpoint#statistics}
 */
public record EndpointStatistics(
    Operations sends,
    Operations receives,
    Operations reads,
    Operations writes,
    Operations remoteReads,
    Operations remoteWrites,
    long outstandingTransmits,
    long outstandingReceives,
    ConnectionStatistics connections) {

  /**
   * Operations of one kind that have ended.
   *
   * @param succeeded how many succeeded
   * @param failed how many failed, those too of which a part was carried out: a message that was
   *     longer than its buffer, or came from a sender that is not known
   * @param bytes the bytes of messages or memory that the successful ones moved
   */
  public record Operations(long succeeded, long failed, long bytes) {}
}
