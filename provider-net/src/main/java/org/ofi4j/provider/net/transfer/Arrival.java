// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * Where the payload of a frame goes, and what follows when all of it has come, or never will. All
 * calls are made with the lock of the endpoint held. An arrival that overrides nothing takes
 * nothing.
 */
public interface Arrival {
  /** Takes payload that is not wanted, or that a frame must not have. */
  Arrival NOWHERE = new Arrival() {};

  /**
   * How many bytes of the payload are wanted; the rest is dropped.
   *
   * @param payload how many there are
   */
  default long wanted(long payload) {
    return 0;
  }

  /**
   * Takes the next bytes.
   *
   * @param offset where in the payload they stand
   * @throws RuntimeException if the memory cannot be written to
   */
  default void take(MemorySegment from, long at, long length, long offset) {
    throw new IllegalStateException("nothing is wanted");
  }

  /**
   * Memory outside the heap that takes the rest of the payload in one piece; null if there is none.
   *
   * @param offset where in the payload the rest begins
   * @param length how many bytes of it are wanted
   */
  default @Nullable MemorySegment rest(long offset, long length) {
    return null;
  }

  /**
   * Is asked each time before bytes are read into the {@linkplain #rest rest}.
   *
   * @throws RuntimeException if the memory must not be written to any more
   */
  default void checkWritable() {}

  /**
   * All of the payload has come.
   *
   * @throws RuntimeException if it came for nothing; the connection is lost then
   */
  default void whole(FrameHeader header) {}

  /**
   * The memory cannot be used; the rest of the payload is dropped.
   *
   * @throws ProtocolException if the connection cannot go on without it
   */
  default void unusable(Throwable failed) throws ProtocolException {}

  /** The connection is lost while the payload is on its way. */
  default void brokeOff() {}

  /**
   * A context is closed: nothing of its memory is touched any more.
   *
   * @return where the rest of the payload goes: here, unless this is of the context
   */
  default Arrival without(Object closed) {
    return this;
  }
}
