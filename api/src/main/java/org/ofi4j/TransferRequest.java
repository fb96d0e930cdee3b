// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * The full form of an operation, with a named field for all that can be said of it: what C says in
 * {@code struct fi_msg}, {@code struct fi_msg_tagged} and {@code struct fi_msg_rma}.
 *
 * <p>A request can be used again: change what differs and post it once more, which allocates
 * nothing. It is looked at within the call only, and may be changed as soon as that has returned;
 * the memory that it names may not. Each method with a parameter changes the request and gives it
 * back. For one thread at a time.
 *
 * @param <R> the request itself
 */
public abstract sealed class TransferRequest<R extends TransferRequest<R>>
    permits OutgoingRequest, ReadRequest, IncomingRequest {
  private MemorySegment memory = MemorySegment.NULL;
  private MemorySegment @Nullable [] parts;
  private @Nullable Object context;
  private long flags;

  TransferRequest() {}

  abstract R self();

  /** Sets or clears bits of {@link TransferFlag}. */
  final R flag(long mask, long value) {
    flags = (flags & ~mask) | value;
    return self();
  }

  /**
   * One piece of memory, in place of what was named before.
   *
   * @param piece the bytes to be sent, or what takes the bytes; must be left alone until the
   *     completion was read
   * @return this
   */
  public R memory(MemorySegment piece) {
    memory = Arguments.required(piece, "piece");
    parts = null;
    return self();
  }

  /**
   * Several pieces of memory, one after the other, in place of what was named before: {@code
   * fi_sendv} and the like.
   *
   * @param pieces at most {@link FabricInfo.Transmit#iovLimit} or {@link
   *     FabricInfo.Receive#iovLimit}; the array is looked at when the request is posted
   * @return this
   */
  public R parts(MemorySegment... pieces) {
    memory = MemorySegment.NULL;
    parts = Arguments.required(pieces, "pieces");
    return self();
  }

  /**
   * The context, which comes back in the completion.
   *
   * @param value any object, or null for none
   * @return this
   */
  public R context(@Nullable Object value) {
    context = value;
    return self();
  }

  /**
   * {@code FI_COMPLETION}: whether the operation is reported although its queue is selective.
   *
   * @param yes false unless it is said
   * @return this
   */
  public R reported(boolean yes) {
    return flag(TransferFlag.COMPLETION.mask(), yes ? TransferFlag.COMPLETION.mask() : 0);
  }

  /**
   * {@code FI_MORE}: whether further operations follow at once. A hint: a message may wait for the
   * next one without it, or until progress is made.
   *
   * @param yes false unless it is said
   * @return this
   */
  public R more(boolean yes) {
    return flag(TransferFlag.MORE.mask(), yes ? TransferFlag.MORE.mask() : 0);
  }

  /**
   * Forgets everything, as a new request.
   *
   * @return this
   */
  public R clear() {
    memory = MemorySegment.NULL;
    parts = null;
    context = null;
    flags = 0;
    return self();
  }

  /** {@return the piece of memory; {@link MemorySegment#NULL} if there are several, or none} */
  public final MemorySegment memory() {
    return memory;
  }

  /** {@return the pieces of memory, the array that was given; null if there are not several} */
  public final MemorySegment @Nullable [] parts() {
    return parts;
  }

  /** {@return the context} */
  public final @Nullable Object context() {
    return context;
  }

  /** {@return all that is not said by a value, as bits of {@link TransferFlag}} */
  public final long flags() {
    return flags;
  }

  /** The fields; of memory its length. Keys of remote memory are not among them. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + "[" + fields() + "]";
  }

  /** Returns the fields as text; kinds of requests put theirs before. */
  String fields() {
    long bytes = memory.byteSize();
    if (parts != null) {
      for (MemorySegment part : parts) {
        bytes += part == null ? 0 : part.byteSize();
      }
    }
    return "memory="
        + bytes
        + " bytes"
        + (parts == null ? "" : " in " + parts.length + " pieces")
        + (", context=" + context + ", flags=" + Flag.names(TransferFlag.class, flags));
  }

  static String handleText(long handle) {
    return handle == Handles.UNSPECIFIED ? "unspecified" : "0x" + Long.toHexString(handle);
  }
}
