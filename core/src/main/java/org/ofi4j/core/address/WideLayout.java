// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;

/**
 * Addresses of a fixed length that are no Internet addresses, as words.
 *
 * <pre>
 *   sockaddr_ib   0 u16 family 27 | 2 u16 pkey BE | 4 u32 flow BE | 8 gid, 16 bytes
 *                 | 24 u64 service id BE | 32 u64 its mask BE | 40 u64 scope BE, to 48
 *   psmx2         two u64, to 16
 *   psmx3         four u64, to 32
 *   opx           u64
 *   ib_ud         0 gid, 16 bytes | 16 u32 queue pair | 20 u16 lid | 22 u16 pkey | 24 u16 service
 *                 | 26 u8 level, to 32
 *   efa           0 gid, 16 bytes | 16 u16 queue pair | 20 u32 queue key | 24 pointer, to 32
 *   cxi           0 u32 nic and pid | 4 u16 vni, to 8
 * </pre>
 *
 * What is not marked BE is in native order, which does not matter here. Bytes between fields are
 * not kept (D-34); flow label and pointer are kept but do not count.
 *
 * @param counting how many words count
 * @param kept which bits of each word are kept
 */
record WideLayout(AddressFormat format, int counting, long... kept) {
  private static final long ALL = -1L;
  private static final long WITHOUT_FLOW = 0xFFFF_FFFF_0000_0000L;
  private static final WideLayout[] LAYOUTS = {
    new WideLayout(AddressFormat.SOCKADDR_IB, 6, WITHOUT_FLOW, ALL, ALL, ALL, ALL, ALL),
    new WideLayout(AddressFormat.PSMX2, 2, ALL, ALL),
    new WideLayout(AddressFormat.PSMX3, 4, ALL, ALL, ALL, ALL),
    new WideLayout(AddressFormat.OPX, 1, ALL),
    new WideLayout(AddressFormat.IB_UD, 4, ALL, ALL, ALL, 0xFFFF_FF00_0000_0000L),
    new WideLayout(AddressFormat.EFA, 3, ALL, ALL, 0xFFFF_0000_FFFF_FFFFL, ALL),
    new WideLayout(AddressFormat.CXI, 1, 0xFFFF_FFFF_FFFF_0000L)
  };

  static @Nullable WideLayout of(AddressFormat format) {
    for (WideLayout layout : LAYOUTS) {
      if (layout.format == format) {
        return layout;
      }
    }
    return null;
  }

  int size() {
    return kept.length * Long.BYTES;
  }

  private boolean isInfiniBand() {
    return format == AddressFormat.SOCKADDR_IB;
  }

  /** Whether the family is right, for the one of these formats that begins with a family. */
  boolean hasFamily(MemorySegment packed, long offset) {
    return !isInfiniBand() || PackedWords.familyAt(packed, offset) == PackedWords.FAMILY_IB;
  }

  void read(MemorySegment packed, long offset, AddressKey into) {
    into.setWide(format, counting, isInfiniBand() ? kept.length + 1 : kept.length);
    for (int i = 0; i < kept.length; i++) {
      into.setWord(i, packed.get(PackedWords.WORD, offset + (long) i * Long.BYTES) & kept[i]);
    }
    if (isInfiniBand()) {
      into.setWord(kept.length, packed.get(PackedWords.WORD, offset) & ~WITHOUT_FLOW);
    }
  }

  int write(AddressKey key, MemorySegment target) {
    for (int i = 0; i < kept.length; i++) {
      long flow = i == 0 && isInfiniBand() ? key.word(kept.length) : 0;
      PackedWords.put(target, i * Long.BYTES, key.word(i) | flow, Long.BYTES);
    }
    return size();
  }

  /** The bytes with zeros behind them where the format lets some be missing. */
  MemorySegment padded(byte[] bytes) {
    return MemorySegment.ofArray(bytes.length < size() ? Arrays.copyOf(bytes, size()) : bytes);
  }

  /** Whether the address names somebody, as far as the format shows (D-21). */
  boolean isUsable(AddressKey key) {
    return switch (format) {
      case SOCKADDR_IB -> !isZero(key, 1) && key.word(3) != 0;
      case EFA -> !isZero(key, 0);
      case IB_UD -> (key.word(2) >>> 16 & 0xFFFF) != 0;
      default -> true;
    };
  }

  /** Whether the sixteen bytes from a word on, a GID, are zero. */
  static boolean isZero(AddressKey key, int word) {
    return key.word(word) == 0 && key.word(word + 1) == 0;
  }

  void any(AddressKey into) {
    byte[] zeros = new byte[size()];
    read(MemorySegment.ofArray(zeros), 0, into);
    if (isInfiniBand()) {
      into.setWord(0, PackedWords.head(PackedWords.FAMILY_IB, 0));
    }
  }
}
