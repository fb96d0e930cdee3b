// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.provider.net.wire.FrameHeader;

/** What an endpoint posts that goes out: messages, tagged ones, and access to memory of peers. */
record TransmitPosts(SendPosts messages, SendPosts tagged, AccessPosts accesses) {
  static TransmitPosts of(TransmitPoint point) {
    return new TransmitPosts(
        new SendPosts(point, FrameHeader.MESSAGE),
        new SendPosts(point, FrameHeader.TAGGED),
        new AccessPosts(point));
  }
}
