// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.memory.MessageBuffers;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Buffer;

/**
 * The memory that libfabric reads and fills for the operations of one endpoint: that which the
 * domain has allocated for the application, as it is; a copy of all other. The lock of the domain
 * guards all.
 */
final class OperationMemory {
  private final DomainResources domain;
  private final MessageBuffers buffers;

  OperationMemory(DomainResources domain, NativeEndpoint endpoint) {
    this.domain = domain;
    buffers = domain.buffers(endpoint);
  }

  /**
   * Gives an operation memory that is to be filled: the application's if it may, else a copy.
   *
   * @param most how much can come at a time
   */
  void reserve(
      Operation operation, MemorySegment into, MemorySegment @Nullable [] parts, long most) {
    if (!isDirect(operation, into, parts)) {
      copy(operation, Math.min(most, Pieces.length(into, parts)));
    }
    operation.length = Math.min(most, operation.length);
    operation.memory = into;
    operation.parts = parts;
  }

  /**
   * Gives an operation what it sends.
   *
   * @param inject whether the application may change the message at once, which is copied then
   */
  void fill(
      Operation operation,
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      boolean inject) {
    if (!inject && isDirect(operation, message, parts)) {
      operation.memory = message;
      operation.fingerprint = fingerprint(message);
    } else {
      copy(operation, Pieces.length(message, parts));
      if (operation.length > 0) {
        Pieces.copyIn(message, parts, operation.address);
      }
    }
  }

  /** Returns the reason if the message of an operation was changed while it was sent, or null. */
  @Nullable String changed(Operation operation) {
    MemorySegment message = operation.memory;
    return message == null
        ? null
        : PostedMemory.changed(message, operation.fingerprint, fingerprint(message));
  }

  private static long fingerprint(MemorySegment message) {
    return PostedMemory.fingerprint(message, 0, message.byteSize());
  }

  private boolean isDirect(
      Operation operation, MemorySegment memory, MemorySegment @Nullable [] parts) {
    NativeMemory direct =
        parts == null && memory.isNative() && !domain.hasBuffersOfItsOwn()
            ? domain.allocated().find(memory.address(), memory.byteSize())
            : null;
    if (direct == null || memory.byteSize() == 0) {
      return false;
    }
    direct.use();
    operation.direct = direct;
    operation.address = memory.address();
    operation.descriptor = direct.descriptor();
    operation.length = memory.byteSize();
    return true;
  }

  private void copy(Operation operation, long length) {
    operation.length = length;
    if (length > 0) {
      Buffer buffer = buffers.take(length);
      operation.buffer = buffer;
      operation.address = buffer.address;
      operation.descriptor = buffer.descriptor;
    }
  }

  /** Lets go of the memory of an operation that has ended. */
  void release(Operation operation) {
    Buffer buffer = operation.buffer;
    if (buffer != null) {
      buffers.giveBack(buffer);
    }
    UsedMemory direct = operation.direct;
    if (direct != null) {
      direct.unuse();
    }
  }

  /** Whether it is registered for this endpoint alone. */
  boolean isOfEndpoint() {
    return domain.hasBuffersOfItsOwn();
  }

  /** Frees what is of this endpoint alone. */
  void close() {
    buffers.close();
  }
}
