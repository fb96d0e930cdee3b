// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.provider.net.wire.FrameHeader;

/** What an endpoint posts that goes out: messages, tagged ones, and access to memory of peers. */
record TransmitPosts(SendPosts messages, SendPosts tagged, AccessPosts accesses) {
  static TransmitPosts of(TcpEndpoint<?> endpoint) {
    return new TransmitPosts(
        new SendPosts(endpoint, FrameHeader.MESSAGE),
        new SendPosts(endpoint, FrameHeader.TAGGED),
        new AccessPosts(endpoint));
  }
}
