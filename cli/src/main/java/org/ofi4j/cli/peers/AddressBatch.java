// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.Insertion;
import org.ofi4j.PeerList;

/**
 * Gathers packed addresses and inserts them in one call. Its memory is taken once. For one thread.
 */
final class AddressBatch implements AutoCloseable {
  private static final int CAPACITY = 1 << 13;
  private static final int PACKED_BYTES = CAPACITY * 64;

  /** Takes what could not be inserted. */
  interface Refused {
    void refused(long line, String text, int errno, String reason);
  }

  private final AddressVector vector;
  private final Refused refused;

  /** Whether the vector writes errors into memory; older API versions know no flag for it. */
  private final boolean reportsErrors;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment packed = arena.allocate(PACKED_BYTES, 8);
  private final MemorySegment handles = arena.allocate(8L * CAPACITY, 8);
  private final MemorySegment errors = arena.allocate(4L * CAPACITY, 4);
  private final int[] offsets = new int[CAPACITY + 1];
  private final FabricAddress[] addresses = new FabricAddress[CAPACITY];
  private final long[] lines = new long[CAPACITY];
  private final String[] texts = new String[CAPACITY];
  private int count;
  private long nanos;

  AddressBatch(AddressVector vector, Refused refused) {
    this.vector = vector;
    this.refused = refused;
    reportsErrors = vector.domain().info().apiVersion().isAtLeast(ApiVersion.V1_5);
  }

  /** Adds an address of the vector's format. */
  void add(FabricAddress address, long line, String text) {
    byte[] bytes = bytes(address);
    if (count == CAPACITY || offsets[count] + bytes.length > PACKED_BYTES) {
      throw new IllegalStateException("full");
    }
    MemorySegment.copy(bytes, 0, packed, ValueLayout.JAVA_BYTE, offsets[count], bytes.length);
    addresses[count] = address;
    lines[count] = line;
    texts[count] = text;
    count++;
    offsets[count] = offsets[count - 1] + bytes.length;
  }

  /** Whether there may be no room for another address. */
  boolean isFull() {
    return count == CAPACITY || offsets[count] + PeerList.MAX_LENGTH + 64 > PACKED_BYTES;
  }

  /** Inserts what was gathered, and gives the number that went in. */
  int insert() {
    if (count == 0) {
      return 0;
    }
    long begin = System.nanoTime();
    int inserted = reportsErrors ? insertPacked() : insertValues();
    nanos += System.nanoTime() - begin;
    if (inserted < count) {
      for (int i = 0; i < count; i++) {
        int errno = errors.getAtIndex(ValueLayout.JAVA_INT, i);
        if (errno != 0) {
          refused.refused(lines[i], texts[i], errno, reason(i, errno));
        }
      }
    }
    count = 0;
    return inserted;
  }

  private int insertPacked() {
    return vector.insert(
        packed.asSlice(0, offsets[count]),
        count,
        handles,
        errors,
        InsertFlag.SYNC_ERR.mask(),
        null);
  }

  private int insertValues() {
    Insertion insertion = vector.insert(Arrays.asList(addresses).subList(0, count));
    for (int i = 0; i < count; i++) {
      errors.setAtIndex(ValueLayout.JAVA_INT, i, insertion.error(i));
    }
    return insertion.inserted();
  }

  private String reason(int position, int errno) {
    MemorySegment element =
        packed.asSlice(offsets[position], offsets[position + 1] - offsets[position]);
    if (errno == Errno.EALREADY.number()) {
      return alreadyAs(vector.find(element));
    }
    String reason = vector.refusal(element);
    return reason == null ? Reasons.name(errno) : reason;
  }

  /** The words for an address that has a handle. */
  static String alreadyAs(long handle) {
    return "is in the vector already, as handle " + Long.toUnsignedString(handle);
  }

  /** How long the vector took. */
  long nanos() {
    return nanos;
  }

  private byte[] bytes(FabricAddress address) {
    return vector.format() == AddressFormat.STR && address.format() != AddressFormat.STR
        ? new FabricAddress.TextAddress(address.toText()).toBytes()
        : address.toBytes();
  }

  @Override
  public void close() {
    arena.close();
  }
}
