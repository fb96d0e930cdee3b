// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code FI_EP_DGRAM}: an endpoint whose messages may get lost, come twice or in another order.
 * Each has one piece of memory, and no immediate data.
 */
public interface DatagramEndpoint extends MessageEndpoint {}
