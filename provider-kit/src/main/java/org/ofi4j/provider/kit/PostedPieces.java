// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;

/**
 * Checks of the memory, in one piece or several, that operations of an endpoint are posted with.
 * Each returns the number of its bytes.
 */
final class PostedPieces {
  private final EndpointDomain domain;
  private final int limit;
  private final long maxMessage;
  private final long injectSize;

  PostedPieces(EndpointDomain domain, FabricInfo info) {
    this.domain = domain;
    limit = info.transmit().iovLimit();
    maxMessage = info.endpoint().maxMessageSize();
    injectSize = info.transmit().injectSize();
  }

  /** Refuses memory that cannot be read, or has more bytes than can be sent. */
  long checkReadable(
      MemorySegment message, MemorySegment @Nullable [] parts, boolean inject, String name) {
    // An injected message is sent or copied within this call.
    Thread reader = inject ? null : domain.transport().reader();
    long length = PostedMemory.usable(message, name, reader).byteSize();
    if (parts != null) {
      checkCount(parts);
      for (int i = 0; i < parts.length; i++) {
        length += PostedMemory.usable(parts[i], "parts[" + i + "]", reader).byteSize();
      }
    }
    if (inject) {
      PostedMemory.checkLength("injected message", length, injectSize);
    }
    PostedMemory.checkLength("message", length, maxMessage);
    return length;
  }

  /** Refuses memory that the thread that moves data cannot write to. */
  long checkWritable(MemorySegment buffer, MemorySegment @Nullable [] parts, String name) {
    Thread mover = domain.transport().mover();
    if (parts == null) {
      return PostedMemory.writable(buffer, name, mover).byteSize();
    }
    checkCount(parts);
    long length = 0;
    for (int i = 0; i < parts.length; i++) {
      length += PostedMemory.writable(parts[i], "parts[" + i + "]", mover).byteSize();
    }
    return length;
  }

  /** Refuses more pieces than an operation can have. */
  void checkCount(MemorySegment @Nullable [] parts) {
    int count = required(parts, "parts").length;
    if (limit <= 1) {
      throw unsupported(
          domain + " sends and receives one piece of memory: copy the parts together");
    }
    if (count > limit) {
      throw invalid("a message of " + count + " parts: there can be " + limit + " at most");
    }
  }
}
