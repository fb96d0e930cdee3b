// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of {@link FreeIndexBlocks} have bitmaps, and where those are, as far as the writer
 * has come upon them, in arrays of this process: entries that die in random order are in another
 * block each time. For one thread at a time.
 */
final class KnownBitmaps {
  private @Nullable MemorySegment[] bitmaps = {};
  private @Nullable MemorySegment[] summaries = {};

  /** Takes note of a bitmap: its memory and nothing else. */
  void note(int block, MemorySegment bitmap, MemorySegment summary) {
    if (block >= bitmaps.length) {
      int length = Math.max(block + 1, 2 * bitmaps.length);
      @Nullable MemorySegment[] wider = Arrays.copyOf(summaries, length);
      // Both or none.
      bitmaps = Arrays.copyOf(bitmaps, length);
      summaries = wider;
    }
    bitmaps[block] = bitmap;
    summaries[block] = summary;
  }

  /** A block has something else from now on. */
  void forget(int block) {
    if (block < bitmaps.length) {
      bitmaps[block] = null;
      summaries[block] = null;
    }
  }

  /** Any block may have something else by now. */
  void forget() {
    Arrays.fill(bitmaps, null);
    Arrays.fill(summaries, null);
  }

  /** The bitmap of a block, if it has one that was noted. */
  @Nullable MemorySegment bitmap(int block) {
    return block < bitmaps.length ? bitmaps[block] : null;
  }

  @Nullable MemorySegment summary(int block) {
    return block < summaries.length ? summaries[block] : null;
  }
}
