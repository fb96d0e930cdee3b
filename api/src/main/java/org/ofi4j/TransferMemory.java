// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;

/**
 * Memory outside the heap that a domain has allocated for messages. Anything may be sent from and
 * received into memory of any kind; but over native fabrics that memory is copied, because an
 * application might free it while the fabric uses it, and memory from here is not.
 *
 * <p>Safe to use from any thread.
 */
public interface TransferMemory extends FabricObject {
  /** {@return the domain that has allocated it} */
  Domain domain();

  /** {@return the memory, filled with zeros at first, which any thread may access} */
  MemorySegment segment();

  /**
   * Gives the memory back. The application must not use the segment any more. Operations that were
   * posted with it go on: then the memory is kept until the last one has ended.
   *
   * @throws FabricBusyException if a {@link MemoryRegion} of it is open
   */
  @Override
  void close();
}
