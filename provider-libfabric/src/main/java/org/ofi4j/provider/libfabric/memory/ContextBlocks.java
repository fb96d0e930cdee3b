// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of {@value #BLOCK} bytes, a {@code struct fi_context2} each, that operations bring along:
 * some fabrics keep their own state in them while the operation is under way. Every operation gets
 * one, whatever the fabric asks for. Each block belongs to one object, which is found by the
 * block's address when the operation has ended.
 *
 * <pre>
 *   a chunk, aligned to its size: block i, 64 bytes at 64 * i
 * </pre>
 *
 * <p>Whoever calls holds the lock of the domain.
 *
 * @param <T> what a block belongs to
 */
public final class ContextBlocks<T> implements AutoCloseable {
  private static final int BLOCK = 64;
  private static final int BLOCK_SHIFT = 6;
  private static final int CHUNK_SHIFT = 14;
  private static final int CHUNK = 1 << CHUNK_SHIFT;

  private static final int BLOCKS = CHUNK / BLOCK;

  /**
   * One chunk.
   *
   * @param number its address by the size of chunks
   * @param first which of all owners has its first block
   */
  private record Chunk(long number, int first) {}

  private final OwnedMemory owned = new OwnedMemory();
  private final LongFunction<T> maker;
  private final List<T> all = new ArrayList<>();
  private final List<T> idle = new ArrayList<>();

  // By chunk number, open addressing; at most half of it is used.
  private @Nullable Chunk[] chunks = new @Nullable Chunk[4];

  /** The chunk that was found last: few operations are under way at a time, in one chunk mostly. */
  private @Nullable Chunk last;

  /**
   * No blocks yet.
   *
   * @param maker makes what a block belongs to, of its address
   */
  public ContextBlocks(LongFunction<T> maker) {
    this.maker = maker;
  }

  /** An owner whose block is not in use. */
  public T take() {
    if (idle.isEmpty()) {
      grow();
    }
    return idle.removeLast();
  }

  /** Gives an owner back: the fabric does not know its block any more. */
  public void giveBack(T owner) {
    idle.add(owner);
  }

  /** All owners, whether their blocks are in use or not. */
  public List<T> all() {
    return Collections.unmodifiableList(all);
  }

  /** The owner of a block; null if the address is none of a block. */
  public @Nullable T owner(long address) {
    long number = address >>> CHUNK_SHIFT;
    Chunk chunk = last;
    if (chunk == null || chunk.number != number) {
      chunk = find(number);
      if (chunk == null) {
        return null;
      }
      last = chunk;
    }
    return (address & (BLOCK - 1)) == 0
        ? all.get(chunk.first + ((int) (address & (CHUNK - 1)) >>> BLOCK_SHIFT))
        : null;
  }

  private @Nullable Chunk find(long number) {
    for (int slot = slot(number, chunks.length); ; slot = (slot + 1) & (chunks.length - 1)) {
      Chunk chunk = chunks[slot];
      if (chunk == null || chunk.number == number) {
        return chunk;
      }
    }
  }

  private void grow() {
    long base = owned.allocate(CHUNK, CHUNK).address();
    int first = all.size();
    for (int offset = 0; offset < CHUNK; offset += BLOCK) {
      all.add(maker.apply(base + offset));
    }
    if (2 * (first / BLOCKS + 1) > chunks.length) {
      @Nullable Chunk[] larger = new @Nullable Chunk[2 * chunks.length];
      for (Chunk chunk : chunks) {
        if (chunk != null) {
          put(larger, chunk);
        }
      }
      chunks = larger;
    }
    put(chunks, new Chunk(base >>> CHUNK_SHIFT, first));
    idle.addAll(all.subList(first, all.size()).reversed());
  }

  private static void put(@Nullable Chunk[] table, Chunk chunk) {
    int slot = slot(chunk.number, table.length);
    while (table[slot] != null) {
      slot = (slot + 1) & (table.length - 1);
    }
    table[slot] = chunk;
  }

  private static int slot(long number, int length) {
    return (int) ((number * 0x9E37_79B9_7F4A_7C15L) >>> 40) & (length - 1);
  }

  /** Frees all blocks; no fabric knows them any more. */
  @Override
  public void close() {
    owned.close();
  }
}
