// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;

/** How structs of C are laid out: each member at the next place that its size divides. */
final class StructMembers {
  private StructMembers() {}

  /** A pointer, {@code size_t} or {@code uint64_t}. */
  static MemoryLayout u64(String name) {
    return JAVA_LONG.withName(name);
  }

  /** An {@code int}, {@code uint32_t} or {@code enum}. */
  static MemoryLayout u32(String name) {
    return JAVA_INT.withName(name);
  }

  /**
   * The layout of a struct.
   *
   * @param name as in C
   * @param members the first ones, as many as are used; later versions add more behind them
   */
  static StructLayout struct(String name, MemoryLayout... members) {
    List<MemoryLayout> placed = new ArrayList<>();
    long end = 0;
    long alignment = 1;
    for (MemoryLayout member : members) {
      end = padded(placed, end, member.byteAlignment());
      placed.add(member);
      end += member.byteSize();
      alignment = Math.max(alignment, member.byteAlignment());
    }
    padded(placed, end, alignment);
    return MemoryLayout.structLayout(placed.toArray(MemoryLayout[]::new)).withName(name);
  }

  private static long padded(List<MemoryLayout> placed, long end, long alignment) {
    long padding = -end & (alignment - 1);
    if (padding > 0) {
      placed.add(MemoryLayout.paddingLayout(padding));
    }
    return end + padding;
  }

  /** A table of functions, which begins with its own size. */
  static StructLayout table(String name, String... functions) {
    List<MemoryLayout> members = new ArrayList<>();
    members.add(u64("size"));
    for (String function : functions) {
      members.add(u64(function));
    }
    return struct(name, members.toArray(MemoryLayout[]::new));
  }

  static long offset(StructLayout layout, String member) {
    return layout.byteOffset(PathElement.groupElement(member));
  }
}
