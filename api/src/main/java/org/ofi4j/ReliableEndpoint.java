// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code FI_EP_RDM}: an endpoint whose messages arrive once, whole, and in the order of sending,
 * with any number of peers. It opens connections by itself.
 *
 * {@snippet class="examples.Messages" region="reliable"}
 */
public interface ReliableEndpoint
    extends MessageEndpoint, TaggedSender, TaggedReceiver, RemoteMemory {
  /**
   * Connects to peers before anything is sent to them, so that the first message need not wait for
   * that. Returns at once and reports nothing: a peer that cannot be reached is found out by the
   * first send. Peers behind a firewall are left out; they must connect themselves.
   *
   * @param handles the peers
   * @throws FabricException with {@link Errno#EINVAL} if one of the handles names no entry that can
   *     be sent to, or {@link Errno#ENOKEY} if it is not under an authorization key of the endpoint
   *     that has some: no connection is opened then
   */
  void warmUp(long... handles);
}
