// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Where the payload of a frame goes. */
public interface Arrival {
  /** Where payload goes that nobody wants, or that a frame must not have. */
  Arrival NOWHERE =
      new Arrival() {
        @Override
        public long wanted(long payload) {
          return 0;
        }

        @Override
        public void take(MemorySegment from, long at, long length, long offset) {
          throw new IllegalStateException("nothing is wanted");
        }

        @Override
        public @Nullable MemorySegment rest(long offset, long length) {
          return null;
        }
      };

  /**
   * How many bytes of the payload are wanted; the rest is dropped.
   *
   * @param payload how many there are
   */
  long wanted(long payload);

  /**
   * Takes the next bytes.
   *
   * @param offset where in the payload they stand
   * @throws RuntimeException if the memory cannot be written to
   */
  void take(MemorySegment from, long at, long length, long offset);

  /**
   * Memory outside the heap that takes the rest of the payload in one piece; null if there is none.
   *
   * @param offset where in the payload the rest begins
   * @param length how many bytes of it are wanted
   */
  @Nullable MemorySegment rest(long offset, long length);

  /**
   * Is asked each time before bytes are read into the {@linkplain #rest rest}.
   *
   * @throws RuntimeException if the memory must not be written to any more
   */
  default void checkWritable() {}

  /**
   * Sends the rest of the payload elsewhere.
   *
   * @return false if it cannot do that itself
   */
  default boolean redirect(Arrival elsewhere) {
    return false;
  }

  /** Whether it takes a message, for which a receive waits or may still be posted. */
  default boolean takesMessage() {
    return false;
  }
}
