// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.MessageReceiver;
import org.ofi4j.ReceiveRequest;

/** The calls that receive messages without tags, of every endpoint that receives. */
interface Receiving extends MessageReceiver {
  ReceivePosts receives();

  @Override
  default boolean tryReceive(MemorySegment buffer, @Nullable Object context) {
    return receives().post(buffer, context);
  }

  @Override
  default boolean tryReceive(ReceiveRequest request) {
    return receives().post(required(request, "request"), false, 0, 0);
  }
}
