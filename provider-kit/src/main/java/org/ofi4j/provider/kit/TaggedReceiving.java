// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedReceiver;

/** The calls that receive messages with and without tags, of every endpoint that is reliable. */
interface TaggedReceiving extends Receiving, TaggedReceiver {
  @Override
  default boolean tryReceiveTagged(
      MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    return receives().post(buffer, pattern, context);
  }

  @Override
  default boolean tryReceiveTagged(TaggedReceiveRequest request) {
    required(request, "request");
    return receives().post(request, true, request.tag(), request.ignored());
  }
}
