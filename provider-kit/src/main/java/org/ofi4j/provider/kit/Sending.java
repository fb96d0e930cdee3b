// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.MessageSender;
import org.ofi4j.SendRequest;

/** The calls that send messages without tags, of every endpoint that sends. */
interface Sending extends MessageSender {
  TransmitPosts transmits();

  @Override
  default boolean trySend(MemorySegment message, long destination, @Nullable Object context) {
    return transmits().send(message, destination, context);
  }

  @Override
  default boolean trySend(SendRequest request) {
    return transmits().send(request, false, 0);
  }

  @Override
  default boolean tryInject(MemorySegment message, long destination) {
    return transmits().inject(message, destination);
  }

  @Override
  default boolean tryInject(SendRequest request) {
    return transmits().inject(request, false, 0);
  }
}
