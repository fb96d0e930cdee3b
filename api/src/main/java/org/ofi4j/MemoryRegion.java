// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct fid_mr}, fi_mr(3): memory that peers may read or write with {@link
 * RemoteMemory#read} and {@link RemoteMemory#write}, through each endpoint of the domain that has
 * the capability for it.
 *
 * <p>Peers name it by its key, and a place in it by the distance from its first byte, whatever kind
 * of memory it is: on the heap, outside of it, a mapped file, of any length. The key is all that
 * protects it from those who can connect, so no exception, event or {@code toString} shows it.
 *
 * <p>The memory stays the application's. What peers write appears in it at any time, byte by byte
 * and in no particular order, until a completion says that it is there. While peers write to it,
 * reading it is a race; so is changing it while they read.
 *
 * <p>It must stay allocated until the region is closed. If it is freed before that, peers are
 * refused, as if the region were closed; but a thread that moves data of the region at that moment
 * may be interrupted by the JVM. Memory of a confined arena can be reached only while its own
 * thread reads the queues.
 *
 * <p>Safe to call from any thread.
 */
public interface MemoryRegion extends FabricObject {
  /** {@return the domain that it is registered with} */
  Domain domain();

  /** {@return the memory that was registered} */
  MemorySegment memory();

  /** {@return what it may be used for, bits of {@link Access}} */
  long access();

  /**
   * {@code fi_mr_key}: what peers name it by.
   *
   * @return the key, unique among the open regions of the domain
   */
  long key();

  /** {@return where peers find all of it: from offset 0 on, with the key} */
  default RemotePlace place() {
    return new RemotePlace(0, length(), key());
  }

  /** {@return how many bytes of it there are, 1 or more; peers reach offset 0 to this} */
  default long length() {
    return memory().byteSize();
  }

  /**
   * {@code fi_close}: ends access. Never refused. Waits until those bytes have been copied that are
   * being copied at this moment, which takes no longer than one call of the kernel; after it has
   * returned nobody touches the memory, and it may be freed. What peers had not completed before
   * fails with them: they lose their connection, as with any access that is refused.
   */
  @Override
  void close();
}
