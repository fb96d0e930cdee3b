// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;

/** Looks at the entries of a vector one by one; see {@link AddressVector#forEach}. */
@FunctionalInterface
public interface EntryVisitor {
  /**
   * Looks at an entry.
   *
   * @param handle the handle
   * @param address its packed address, in memory that is used again for the next entry
   */
  void entry(long handle, MemorySegment address);
}
