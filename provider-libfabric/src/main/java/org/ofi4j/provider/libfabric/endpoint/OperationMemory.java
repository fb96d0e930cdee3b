// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.AllocatedMemories;
import org.ofi4j.provider.kit.Pieces;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.memory.MessageBuffers;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Buffer;

/**
 * The memory that libfabric reads and fills for the operations of one endpoint: memory that the
 * domain has allocated for the application, as it is; a copy of all other memory. The lock of the
 * domain guards all.
 */
final class OperationMemory {
  private final AllocatedMemories<NativeMemory> allocated;
  private final MessageBuffers buffers;
  private final boolean ofEndpoint;

  OperationMemory(DomainResources domain, NativeEndpoint endpoint) {
    allocated = domain.allocated;
    buffers = domain.buffers(endpoint);
    ofEndpoint = domain.hasBuffersOfItsOwn();
  }

  /**
   * Gives an operation memory that is to be filled: the application's if it may, else a copy.
   *
   * @param most how many bytes can come at a time
   */
  void reserve(NativeOperation operation, long most) {
    if (!isDirect(operation)) {
      copy(operation, Math.min(most, operation.memory.length()));
    }
    operation.size = Math.min(most, operation.size);
  }

  /** Gives an operation the memory that it sends, which is a copy if it is injected. */
  void fill(NativeOperation operation) {
    if (!operation.inject && isDirect(operation)) {
      operation.memory.remember();
    } else {
      copy(operation, operation.memory.length());
      operation.memory.copyTo(RawMemory.ALL, operation.address, 0, operation.size);
    }
  }

  private boolean isDirect(NativeOperation operation) {
    Pieces memory = operation.memory;
    MemorySegment one = memory.at(0);
    NativeMemory direct =
        memory.isOne() && one.isNative() && !ofEndpoint
            ? allocated.find(one.address(), memory.length())
            : null;
    if (direct == null || memory.length() == 0) {
      return false;
    }
    direct.use();
    operation.direct = direct;
    operation.address = one.address();
    operation.descriptor = direct.descriptor();
    operation.size = memory.length();
    return true;
  }

  private void copy(NativeOperation operation, long length) {
    operation.size = length;
    if (length > 0) {
      Buffer buffer = buffers.take(length);
      operation.buffer = buffer;
      operation.address = buffer.address;
      operation.descriptor = buffer.descriptor;
    }
  }

  /**
   * Copies what has come to the memory of the application, unless it came there.
   *
   * @param bytes the number of bytes behind those that are filled
   * @return the reason if the memory cannot be used, a verb with its object; else null
   */
  static @Nullable String copyOut(NativeOperation operation, long bytes) {
    Buffer buffer = operation.buffer;
    if (buffer == null) {
      return null;
    }
    Pieces memory = operation.memory;
    String refusal = memory.refusal(Thread.currentThread());
    if (refusal != null) {
      return refusal;
    }
    long filled = operation.filled;
    try {
      memory.copyFrom(
          RawMemory.ALL,
          buffer.address + filled,
          filled,
          Math.min(bytes, memory.length() - filled));
      return null;
    } catch (IllegalStateException freed) {
      return "has been freed while something came for it";
    } catch (InternalError fault) {
      // A mapped file that has become shorter.
      return "cannot be written to any more: " + fault.getMessage();
    }
  }

  /** Lets go of the memory of an operation that has ended, or is to get other memory. */
  void release(NativeOperation operation) {
    Buffer buffer = operation.buffer;
    if (buffer != null) {
      buffers.giveBack(buffer);
      operation.buffer = null;
    }
    NativeMemory direct = operation.direct;
    if (direct != null) {
      direct.unuse();
      operation.direct = null;
    }
    operation.address = 0;
    operation.descriptor = 0;
  }

  /** Whether it is registered for this endpoint alone. */
  boolean isOfEndpoint() {
    return ofEndpoint;
  }

  /** Frees the copies of this endpoint, if it does not share them. */
  void close() {
    if (ofEndpoint) {
      buffers.close();
    }
  }
}
