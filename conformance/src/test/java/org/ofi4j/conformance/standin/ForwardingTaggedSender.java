// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;

/** Hands tagged sends on. */
interface ForwardingTaggedSender extends TaggedSender {
  TaggedSender real();

  @Override
  default boolean trySendTagged(TaggedSendRequest request) {
    return real().trySendTagged(request);
  }

  @Override
  default boolean tryInjectTagged(TaggedSendRequest request) {
    return real().tryInjectTagged(request);
  }
}
