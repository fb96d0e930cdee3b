// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;

/**
 * Packed IPv4 addresses under handles, as a vector has them; other tables are yardsticks for it.
 */
interface PeerTable extends AutoCloseable {
  /** Inserts addresses that are not in the table, and stores their handles. */
  void insert(MemorySegment packed, int count, MemorySegment handles);

  /**
   * Stores the address under a handle.
   *
   * @throws RuntimeException if there is none
   */
  void lookup(long handle, MemorySegment buffer);

  /** Returns the handle of an address; negative if there is none. */
  long find(MemorySegment packed);

  /** Removes entries. */
  void remove(MemorySegment handles, int count);

  @Override
  void close();

  /** The tables that are compared. */
  enum Kind {
    /** A private vector of this library. */
    OFI4J {
      @Override
      PeerTable open() {
        return new Vector();
      }
    },
    /** {@link HandTable}. */
    HAND {
      @Override
      PeerTable open() {
        return new HandTable();
      }
    },
    /** {@link FastutilTable}. */
    FASTUTIL {
      @Override
      PeerTable open() {
        return new FastutilTable();
      }
    };

    /** Returns an empty table. */
    abstract PeerTable open();
  }

  /** A private vector. */
  final class Vector implements PeerTable {
    private final VectorFactory factory = new VectorFactory(Family.IPV4);
    private final AddressVector vector = factory.open(VectorOptions.table());

    @Override
    public void insert(MemorySegment packed, int count, MemorySegment handles) {
      vector.insert(packed, count, handles, null, 0, null);
    }

    @Override
    public void lookup(long handle, MemorySegment buffer) {
      vector.lookup(handle, buffer);
    }

    @Override
    public long find(MemorySegment packed) {
      return vector.find(packed);
    }

    @Override
    public void remove(MemorySegment handles, int count) {
      vector.remove(handles, count, 0);
    }

    @Override
    public void close() {
      vector.close();
      factory.close();
    }
  }
}
