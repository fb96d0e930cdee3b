// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.libfabric.library.RawMemory;

/** The memory of applications, in one piece or several: checks, and copies of it. */
final class Pieces {
  private Pieces() {}

  static void checkCount(MemorySegment @Nullable [] parts) {
    if (parts != null && parts.length > DomainResources.MOST_PIECES) {
      throw invalid(
          "a message of %s parts: there can be %s at most"
              .formatted(parts.length, DomainResources.MOST_PIECES));
    }
  }

  /** Refuses memory that this thread cannot read. */
  static void checkReadable(MemorySegment message, MemorySegment @Nullable [] parts) {
    PostedMemory.usable(message, "message", null);
    if (parts != null) {
      for (int i = 0; i < parts.length; i++) {
        PostedMemory.usable(parts[i], "parts[" + i + "]", null);
      }
    }
  }

  /**
   * Refuses memory that cannot be written to.
   *
   * @param mover the thread that will write; null for this one
   */
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

  static long length(MemorySegment one, MemorySegment @Nullable [] parts) {
    if (parts == null) {
      return one.byteSize();
    }
    long length = 0;
    for (MemorySegment part : parts) {
      length += required(part, "part").byteSize();
    }
    return length;
  }

  static void copyIn(MemorySegment one, MemorySegment @Nullable [] parts, long address) {
    if (parts == null) {
      RawMemory.copyIn(one, 0, address, one.byteSize());
      return;
    }
    long at = address;
    for (MemorySegment part : parts) {
      RawMemory.copyIn(part, 0, at, part.byteSize());
      at += part.byteSize();
    }
  }

  /**
   * Copies what has come to the memory of an operation.
   *
   * @param offset where it begins there, if that is one piece
   * @return why the memory cannot be used, in words; null if all is well
   */
  static @Nullable String copyOut(long address, Operation operation, long offset, long bytes) {
    MemorySegment one = operation.memory;
    MemorySegment[] parts = operation.parts;
    try {
      if (parts == null) {
        if (one == null) {
          return "is gone";
        }
        String refusal = PostedMemory.refusal(one, Thread.currentThread());
        if (refusal == null) {
          RawMemory.copyOut(address, one, offset, Math.min(bytes, one.byteSize() - offset));
        }
        return refusal;
      }
      long left = bytes;
      long from = address;
      for (MemorySegment part : parts) {
        String refusal = PostedMemory.refusal(part, Thread.currentThread());
        if (refusal != null) {
          return refusal;
        }
        long here = Math.min(left, part.byteSize());
        RawMemory.copyOut(from, part, 0, here);
        from += here;
        left -= here;
      }
      return null;
    } catch (IllegalStateException freedMeanwhile) {
      return "has been freed while something came for it";
    } catch (InternalError fault) {
      // A mapped file that has become shorter.
      return "cannot be written to any more: " + fault.getMessage();
    }
  }
}
