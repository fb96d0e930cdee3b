// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Memory that takes the bytes of messages that do not fit into their receive. It is never read:
 * {@value #BYTES} bytes of addresses share {@value #PIECE} bytes of memory, so that a peer cannot
 * make this process use more. One for all domains, mapped while one of them uses it. Any thread may
 * call.
 */
public final class DiscardSink {
  /** Bytes that can be written from its address on: more than a message has. */
  public static final long BYTES = 1L << 36;

  /** Bytes of memory behind them; each piece of addresses is mapped to the same. */
  private static final long PIECE = 1L << 26;

  // Guarded by this object.
  private long address;
  private int users;

  /**
   * Maps the memory, unless it is mapped.
   *
   * @return its address, until {@link #close} was called as often
   * @throws FabricException with ENOMEM if there are no addresses or no memory for it
   */
  public synchronized long open() {
    if (users == 0) {
      address = map();
    }
    users++;
    return address;
  }

  private static long map() {
    int file = CLibrary.memoryFile("ofi4j-discard");
    boolean mapped = file >= 0 && CLibrary.truncate(file, PIECE) == 0;
    long reserved =
        mapped ? CLibrary.mmap(0, BYTES, CLibrary.PROT_NONE, CLibrary.MAP_RESERVED, -1) : -1;
    mapped = reserved != -1;
    for (long offset = 0; mapped && offset < BYTES; offset += PIECE) {
      long at = reserved + offset;
      int protection = CLibrary.PROT_READ_WRITE;
      mapped = CLibrary.mmap(at, PIECE, protection, CLibrary.MAP_SHARED_FIXED, file) == at;
    }
    // Fails without effect if there is no file.
    CLibrary.close(file);
    if (mapped) {
      return reserved;
    }
    if (reserved != -1) {
      CLibrary.unmap(reserved, BYTES);
    }
    throw new FabricException(
        Errno.ENOMEM,
        ("no memory for messages that do not fit into their receive: %s MiB, and %s MiB of"
                + " addresses in %s mappings, are needed; see ulimit -v and vm.max_map_count")
            .formatted(PIECE >> 20, BYTES >> 20, BYTES / PIECE));
  }

  /** Undoes one {@link #open}: libfabric does not write to the memory any more. */
  public synchronized void close() {
    users--;
    if (users == 0) {
      CLibrary.unmap(address, BYTES);
      address = 0;
    }
  }
}
