// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.MessageReceiver;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedReceiver;

/** The half of an endpoint, or the context of several, that receives. */
interface ReceiveHalf extends MessageReceiver, TaggedReceiver {
  /** Where receives of untagged messages are posted. */
  ReceivePosts untagged();

  /** Where receives of tagged messages are posted. */
  ReceivePosts tagged();

  @Override
  default boolean tryReceive(MemorySegment buffer, @Nullable Object context) {
    return untagged().post(buffer, context);
  }

  @Override
  default boolean tryReceive(ReceiveRequest request) {
    return untagged().post(request);
  }

  @Override
  default boolean tryReceiveTagged(
      MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    return tagged().post(buffer, pattern, context);
  }

  @Override
  default boolean tryReceiveTagged(TaggedReceiveRequest request) {
    return tagged().post(request);
  }
}
