// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the memory of peers, fi_rma(3). Any number of threads may. The forms are those
 * of {@link MessageSender}.
 *
 * <p>The local memory says how many bytes are copied. An access that the peer refuses, because of
 * the key, the rights or the bounds, costs the connection: it fails with {@link Errno#ECONNRESET},
 * as does what else had begun. But a write counts as ended when the kernel has its bytes, before
 * the peer has looked at it; only one with {@link CompletionLevel#DELIVERED} fails for certain.
 *
 * {@snippet class="examples.Messages" region="write"}
 */
public interface RemoteMemory {
  /**
   * {@code fi_read}: copies from a peer's memory. Completes when the bytes are here.
   *
   * @param into takes the bytes; must be left alone until the completion was read
   * @param source handle of the peer
   * @param place where the bytes are, from its beginning on; it has as many or more
   * @param context comes back in the completion
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry, the memory
   *     cannot be written to, or the place has too few bytes; {@link Errno#EOPNOTSUPP} without
   *     {@link Capability#READ}; else as {@link MessageSender#trySend(MemorySegment, long, Object)}
   */
  boolean tryRead(MemorySegment into, long source, RemotePlace place, @Nullable Object context);

  /**
   * {@code fi_readmsg}, {@code fi_readv}: copies from a peer's memory. If the peer refuses one of
   * several places, nothing is read.
   *
   * @param request where the bytes are, and all about it
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #tryRead(MemorySegment, long, RemotePlace, Object)}; {@link
   *     Errno#EINVAL} without a place, for too many pieces or places, or if several places have
   *     other lengths in all; {@link Errno#EBADFLAGS} for {@link CompletionLevel#COMMITTED}
   */
  boolean tryRead(ReadRequest request);

  /**
   * {@code fi_write}: copies to a peer's memory. Completes when the kernel has taken the bytes; the
   * peer's application is told nothing.
   *
   * @param from the bytes; must stay as they are until the completion was read
   * @param destination handle of the peer
   * @param place where they go, from its beginning on; it has room for as many or more
   * @param context comes back in the completion
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry or the place has
   *     too little room; {@link Errno#EOPNOTSUPP} without {@link Capability#WRITE}; else as {@link
   *     MessageSender#trySend(MemorySegment, long, Object)}
   */
  boolean tryWrite(
      MemorySegment from, long destination, RemotePlace place, @Nullable Object context);

  /**
   * {@code fi_writemsg}, {@code fi_writev}, {@code fi_writedata}: copies to a peer's memory. With
   * immediate data the peer gets a completion with {@link CompletionFlag#REMOTE_WRITE} when the
   * bytes are there. With {@link CompletionLevel#DELIVERED} the completion here says that they are.
   * If the peer refuses one of several places, nothing is written.
   *
   * @param request what goes where, and all about it
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #tryWrite(MemorySegment, long, RemotePlace, Object)}; {@link
   *     Errno#EINVAL} without a place, for too many pieces or places, or if several places have
   *     other lengths in all
   */
  boolean tryWrite(WriteRequest request);

  /**
   * {@code fi_inject_write}: copies to a peer's memory from memory that may be overwritten as soon
   * as the call returns, without completion.
   *
   * @param from the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @param place where they go, from its beginning on; it has room for as many or more
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #tryWrite(MemorySegment, long, RemotePlace, Object)}; {@link
   *     Errno#EMSGSIZE} for more bytes than are injected
   */
  boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place);

  /**
   * {@code fi_inject_writedata}: the same with immediate data.
   *
   * @param request one piece of memory, destination, one place and data; the rest is not looked at
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #tryInjectWrite(MemorySegment, long, RemotePlace)}; {@link
   *     Errno#EINVAL} for several pieces or places
   */
  boolean tryInjectWrite(WriteRequest request);

  /**
   * As {@link #tryRead(MemorySegment, long, RemotePlace, Object)}.
   *
   * @param into takes the bytes; must be left alone until the completion was read
   * @param source handle of the peer
   * @param place where the bytes are, from its beginning on; it has as many or more
   * @param context comes back in the completion
   * @throws TryAgainException if the transmit queue is full
   */
  default void read(MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    if (!tryRead(into, source, place, context)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryRead(ReadRequest)}.
   *
   * @param request where the bytes are, and all about it
   * @throws TryAgainException if the transmit queue is full
   */
  default void read(ReadRequest request) {
    if (!tryRead(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryWrite(MemorySegment, long, RemotePlace, Object)}.
   *
   * @param from the bytes; must stay as they are until the completion was read
   * @param destination handle of the peer
   * @param place where they go, from its beginning on; it has room for as many or more
   * @param context comes back in the completion
   * @throws TryAgainException if the transmit queue is full
   */
  default void write(
      MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    if (!tryWrite(from, destination, place, context)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryWrite(WriteRequest)}.
   *
   * @param request what goes where, and all about it
   * @throws TryAgainException if the transmit queue is full
   */
  default void write(WriteRequest request) {
    if (!tryWrite(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInjectWrite(MemorySegment, long, RemotePlace)}.
   *
   * @param from the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @param place where they go, from its beginning on; it has room for as many or more
   * @throws TryAgainException if the transmit queue is full
   */
  default void injectWrite(MemorySegment from, long destination, RemotePlace place) {
    if (!tryInjectWrite(from, destination, place)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInjectWrite(WriteRequest)}.
   *
   * @param request one piece of memory, destination, one place and data; the rest is not looked at
   * @throws TryAgainException if the transmit queue is full
   */
  default void injectWrite(WriteRequest request) {
    if (!tryInjectWrite(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }
}
