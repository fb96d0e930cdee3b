// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;

/**
 * What {@code fi_av_straddr} gives back.
 *
 * @param buffer the buffer that was passed in
 * @param length bytes of the whole text with its terminating zero, however much of it fitted
 */
public record AddressText(MemorySegment buffer, int length) {
  /** The sizes; the text may be in memory that was freed. */
  @Override
  public String toString() {
    return "AddressText[buffer=" + buffer.byteSize() + " bytes, length=" + length + "]";
  }
}
