// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import org.ofi4j.MessageReceiver;
import org.ofi4j.ReceiveRequest;

/** Hands receives on. */
interface ForwardingReceiver extends MessageReceiver {
  MessageReceiver real();

  @Override
  default boolean tryReceive(MemorySegment buffer, Object context) {
    return real().tryReceive(buffer, context);
  }

  @Override
  default boolean tryReceive(ReceiveRequest request) {
    return real().tryReceive(request);
  }

  @Override
  default boolean cancel(Object context) {
    return real().cancel(context);
  }
}
