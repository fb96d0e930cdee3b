// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Checks of the memory, in one piece or several, that operations over TCP are posted with. */
final class PostedPieces {
  private PostedPieces() {}

  /** Refuses more pieces than an operation can have. */
  static void checkCount(MemorySegment @Nullable [] parts) {
    int count = required(parts, "parts").length;
    if (count > TcpLimits.IOV_LIMIT) {
      throw invalid(
          "a message of " + count + " parts: there can be " + TcpLimits.IOV_LIMIT + " at most");
    }
  }

  /**
   * Refuses memory that cannot be read, or is too long to be injected.
   *
   * @param mover the thread that will read it; null if any may
   */
  static void check(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      boolean inject,
      @Nullable Thread mover) {
    // An injected message is sent or copied within this call.
    Thread reader = inject ? null : mover;
    long length = PostedMemory.usable(message, "message", reader).byteSize();
    if (parts != null) {
      for (int i = 0; i < parts.length; i++) {
        length += PostedMemory.usable(parts[i], "parts[" + i + "]", reader).byteSize();
      }
    }
    if (inject) {
      PostedMemory.checkLength("injected message", length, TcpLimits.INJECT_SIZE);
    }
  }

  /** Refuses memory that cannot be written to by the thread that will, or null for any. */
  static void checkWritable(
      MemorySegment buffer, MemorySegment @Nullable [] parts, String name, @Nullable Thread mover) {
    if (parts == null) {
      PostedMemory.writable(buffer, name, mover);
    } else {
      for (int i = 0; i < parts.length; i++) {
        PostedMemory.writable(parts[i], "parts[" + i + "]", mover);
      }
    }
  }
}
