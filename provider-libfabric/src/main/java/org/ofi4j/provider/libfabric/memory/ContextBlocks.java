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
 * <p>Each chunk after the first has as many blocks as all chunks before it. So there are few
 * chunks, and a search goes through them.
 *
 * <p>The caller holds the lock of the domain.
 *
 * @param <T> what a block belongs to
 */
public final class ContextBlocks<T> implements AutoCloseable {
  private static final int BLOCK = 64;

  /** The number of blocks in the first chunk. */
  private static final int FEWEST = 256;

  /**
   * One chunk.
   *
   * @param base the address of its first block
   * @param first the number of its first block among all
   * @param bytes of all its blocks
   */
  private record Chunk(long base, int first, long bytes) {}

  private final OwnedMemory owned = new OwnedMemory();
  private final LongFunction<T> maker;
  private final List<T> all = new ArrayList<>();
  private final List<T> idle = new ArrayList<>();
  private final List<Chunk> chunks = new ArrayList<>();

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

  /** Returns the owner of a block; null if the address is none of a block. */
  public @Nullable T owner(long address) {
    for (int i = 0; i < chunks.size(); i++) {
      Chunk chunk = chunks.get(i);
      long offset = address - chunk.base;
      if (offset >= 0 && offset < chunk.bytes) {
        return offset % BLOCK == 0 ? all.get(chunk.first + (int) (offset / BLOCK)) : null;
      }
    }
    return null;
  }

  private void grow() {
    int first = all.size();
    int blocks = Math.max(FEWEST, first);
    long bytes = (long) BLOCK * blocks;
    Chunk chunk = new Chunk(owned.allocate(bytes, BLOCK).address(), first, bytes);
    for (long offset = 0; offset < bytes; offset += BLOCK) {
      all.add(maker.apply(chunk.base + offset));
    }
    chunks.add(chunk);
    idle.addAll(all.subList(first, all.size()).reversed());
  }

  /** Frees all blocks; no fabric knows them any more. */
  @Override
  public void close() {
    owned.close();
  }
}
