// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.memory;

import java.lang.foreign.Arena;
import java.util.ArrayList;
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

  /** The blocks of one chunk. */
  private record Chunk<T>(long number, List<T> owners) {}

  private final Arena arena = Arena.ofShared();
  private final LongFunction<T> maker;
  private final List<T> idle = new ArrayList<>();

  // By chunk number, open addressing; at most half of it is used.
  private @Nullable Chunk<T>[] chunks = table(4);
  private int chunkCount;

  /**
   * No blocks yet.
   *
   * @param maker makes what a block belongs to, of its address
   */
  public ContextBlocks(LongFunction<T> maker) {
    this.maker = maker;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <T> @Nullable Chunk<T>[] table(int size) {
    return (@Nullable Chunk<T>[]) new @Nullable Chunk[size];
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

  /** The owner of a block; null if the address is none of a block. */
  public @Nullable T owner(long address) {
    long number = address >>> CHUNK_SHIFT;
    for (int slot = slot(number, chunks.length); ; slot = (slot + 1) & (chunks.length - 1)) {
      Chunk<T> chunk = chunks[slot];
      if (chunk == null) {
        return null;
      }
      if (chunk.number == number) {
        return (address & (BLOCK - 1)) == 0
            ? chunk.owners.get((int) (address & (CHUNK - 1)) >>> BLOCK_SHIFT)
            : null;
      }
    }
  }

  private void grow() {
    long base = arena.allocate(CHUNK, CHUNK).address();
    List<T> owners = new ArrayList<>(CHUNK / BLOCK);
    for (int offset = 0; offset < CHUNK; offset += BLOCK) {
      owners.add(maker.apply(base + offset));
    }
    if (2 * (chunkCount + 1) > chunks.length) {
      @Nullable Chunk<T>[] larger = table(2 * chunks.length);
      for (Chunk<T> chunk : chunks) {
        if (chunk != null) {
          put(larger, chunk);
        }
      }
      chunks = larger;
    }
    put(chunks, new Chunk<>(base >>> CHUNK_SHIFT, owners));
    chunkCount++;
    idle.addAll(owners.reversed());
  }

  private static <T> void put(@Nullable Chunk<T>[] table, Chunk<T> chunk) {
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
    arena.close();
  }
}
