// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedReceiver;

/** Hands tagged receives on. */
interface ForwardingTaggedReceiver extends TaggedReceiver {
  TaggedReceiver real();

  @Override
  default boolean tryReceiveTagged(MemorySegment buffer, TagPattern pattern, Object context) {
    return real().tryReceiveTagged(buffer, pattern, context);
  }

  @Override
  default boolean tryReceiveTagged(TaggedReceiveRequest request) {
    return real().tryReceiveTagged(request);
  }
}
