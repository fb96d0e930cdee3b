// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;

/**
 * Addresses packed one behind the other.
 *
 * <p>In formats whose elements differ in length a cursor walks along. It goes back to the mark of
 * some elements, as failures are put in words while addresses are read. The elements behind one of
 * unknown length cannot be found and fail with it.
 */
public final class PackedAddresses implements AddressSource {
  private static final long NOWHERE = -1;
  private static final long MOST_ON_HEAP = 1L << 30;
  private static final int MARK_EVERY = 1024;

  private final AddressCodec codec;
  private final MemorySegment packed;
  private final int count;
  private final int size;
  private int cursor;
  private long cursorOffset;

  /** The offsets of some elements, at equal distances. */
  private final long[] marks;

  private int lost = Integer.MAX_VALUE;

  /**
   * Addresses in memory of the caller.
   *
   * @throws FabricException with {@link Errno#EINVAL} if the memory holds fewer than {@code count}
   */
  public PackedAddresses(AddressCodec codec, MemorySegment memory, int count) {
    this.codec = codec;
    this.count = count;
    this.size = codec.size();
    this.marks = new long[size > 0 ? 0 : count / MARK_EVERY + 1];
    this.packed = memory.asSlice(0, extent(memory));
  }

  /** The same addresses in memory of their own, which outlives the caller's. */
  public static PackedAddresses copyOf(AddressCodec codec, MemorySegment memory, int count) {
    MemorySegment taken = new PackedAddresses(codec, memory, count).packed;
    MemorySegment memoryOfCopy =
        taken.byteSize() <= MOST_ON_HEAP
            ? MemorySegment.ofArray(taken.toArray(ValueLayout.JAVA_BYTE))
            : Arena.ofAuto().allocate(taken.byteSize()).copyFrom(taken);
    return new PackedAddresses(codec, memoryOfCopy, count);
  }

  /** Returns where the last element ends; the end of the memory if it cannot be found. */
  private long extent(MemorySegment memory) {
    if (size > 0) {
      long room = memory.byteSize() / size;
      if (room < count) {
        throw tooShort(memory, room);
      }
      return (long) count * size;
    }
    long end = 0;
    for (int i = 0; i < count; i++) {
      if (i % MARK_EVERY == 0) {
        marks[i / MARK_EVERY] = end;
      }
      int length = codec.sizeAt(memory, end);
      if (length > memory.byteSize() - end || memory.byteSize() == end) {
        throw tooShort(memory, i);
      }
      if (length < 0) {
        return memory.byteSize(); // and so can none behind it be found
      }
      end += length;
    }
    return end;
  }

  private FabricException tooShort(MemorySegment memory, long room) {
    return new FabricException(
        Errno.EINVAL,
        "addresses has %s bytes, which hold %s addresses of format %s and not %s"
            .formatted(memory.byteSize(), room, codec.format(), count));
  }

  /** Where an element begins. */
  private long offset(int position) {
    if (size > 0) {
      return (long) position * size;
    }
    if (position < cursor) {
      int mark = position / MARK_EVERY;
      cursor = mark * MARK_EVERY;
      cursorOffset = marks[mark];
    }
    while (cursor < position) {
      int length = codec.sizeAt(packed, cursorOffset);
      if (length <= 0) {
        lost = cursor;
        return NOWHERE;
      }
      cursorOffset += length;
      cursor++;
    }
    return cursorOffset;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public MemorySegment memory() {
    return packed;
  }

  @Override
  public int read(int position, AddressKey into) {
    long offset = offset(position);
    return offset == NOWHERE ? Errno.EINVAL.number() : codec.read(packed, offset, into);
  }

  @Override
  public int readIpv4(int from, long[] into) {
    long offset = codec.takesIpv4() ? offset(from) : NOWHERE;
    if (offset == NOWHERE) {
      return 0;
    }
    long room = (packed.byteSize() - offset) / PackedIpv4.SIZE;
    int most = (int) Math.min(Math.min(into.length, count - from), room);
    int read = 0;
    while (read < most) {
      long address = PackedIpv4.read(packed, offset + (long) read * PackedIpv4.SIZE);
      if (!AddressKey.isUsableIpv4(address)) {
        break;
      }
      into[read++] = address;
    }
    cursor = from + read;
    cursorOffset = offset + (long) read * PackedIpv4.SIZE;
    return read;
  }

  @Override
  public String text(int position) {
    long offset = offset(position);
    if (offset == NOWHERE) {
      return "?";
    }
    MemorySegment address = packed.asSlice(offset);
    try {
      return FabricAddress.of(codec.format(), address).toText();
    } catch (FabricException unreadable) {
      MemorySegment first = address.asSlice(0, Math.min(address.byteSize(), 16));
      return "bytes"
          + HexFormat.of().withPrefix(" ").formatHex(first.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Override
  public String reason(int position) {
    long offset = offset(position);
    return offset == NOWHERE
        ? "cannot be found, because the length of address " + lost + " before it is unknown"
        : codec.reason(packed, offset);
  }
}
