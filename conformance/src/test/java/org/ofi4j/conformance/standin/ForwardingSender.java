// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import org.ofi4j.MessageSender;
import org.ofi4j.SendRequest;

/** Hands sends on. */
interface ForwardingSender extends MessageSender {
  MessageSender real();

  @Override
  default boolean trySend(MemorySegment message, long destination, Object context) {
    return real().trySend(message, destination, context);
  }

  @Override
  default boolean trySend(SendRequest request) {
    return real().trySend(request);
  }

  @Override
  default boolean tryInject(MemorySegment message, long destination) {
    return real().tryInject(message, destination);
  }

  @Override
  default boolean tryInject(SendRequest request) {
    return real().tryInject(request);
  }
}
