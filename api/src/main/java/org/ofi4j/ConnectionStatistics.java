// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * What became of the connections of an endpoint over TCP since it was opened: {@link
 * EndpointStatistics#connections}, {@link ScalableEndpoint#statistics}. An endpoint that sends to
 * itself has both ends of that connection.
 *
 * @param open how many are open now
 * @param made how many this endpoint has opened
 * @param accepted how many peers have opened
 * @param failed attempts of this endpoint that ended without a connection, each one of a row; those
 *     too that a peer refuses because it connects itself at that moment
 * @param lost open connections that ended, and not because this endpoint ended them or both sides
 *     had no need of them: the peer or the network did
 * @param rejected connections that were closed because the peer broke the protocol, or did not
 *     prove that it has the authorization key
 */
public record ConnectionStatistics(
    long open, long made, long accepted, long failed, long lost, long rejected) {
  private static final ConnectionStatistics NONE = new ConnectionStatistics(0, 0, 0, 0, 0, 0);

  /** {@return the statistics of what has no connections: all 0} */
  public static ConnectionStatistics none() {
    return NONE;
  }
}
