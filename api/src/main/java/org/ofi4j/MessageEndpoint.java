// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** An endpoint that sends and receives messages, as all do that are no contexts. */
public interface MessageEndpoint extends Endpoint, MessageSender, MessageReceiver {}
