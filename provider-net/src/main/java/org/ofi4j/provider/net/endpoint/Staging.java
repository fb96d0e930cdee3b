// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * A buffer outside the heap between an application's memory and a channel. Channels take no memory
 * segment, and a view of one as a buffer would be garbage for every message; a copy of a datagram
 * is not. The buffer holds any datagram, so that the length of one that is too long for the
 * application's memory becomes known.
 */
public final class Staging implements AutoCloseable {
  private static final int PAGE = 4_096;

  /**
   * Takes any datagram, so that what does not fit a posted buffer can be counted; and a message of
   * 64 KiB with its header at once.
   */
  public static final int SIZE = (1 << 16) + PAGE;

  public final ByteBuffer buffer;
  public final MemorySegment segment;

  /** Takes the two buffers of one write. */
  public final ByteBuffer[] pair = new ByteBuffer[2];

  private final Pool pool;

  private Staging(Pool pool) {
    this.pool = pool;
    buffer = offPage(ByteBuffer.allocateDirect(SIZE + PAGE));
    segment = MemorySegment.ofBuffer(buffer);
  }

  /**
   * Begins in the middle of a page. Applications' buffers and the kernel's often begin with one,
   * and processors copy slowly to where a few bytes of a page's beginning are between both.
   */
  private static ByteBuffer offPage(ByteBuffer all) {
    long past = MemorySegment.ofBuffer(all).address() % PAGE;
    return all.slice((int) Math.floorMod(PAGE / 2 - past, (long) PAGE), SIZE);
  }

  /** Gives it back, once: then another thread may have it. */
  @Override
  public void close() {
    pool.giveBack(this);
  }

  /**
   * The buffers of a domain. Its endpoints borrow one for as long as a thread moves their data, so
   * that there are as many as threads that do so at a time, however many endpoints there are.
   */
  public static final class Pool {
    private static final int KEPT = 16;

    private final AtomicReferenceArray<@Nullable Staging> idle = new AtomicReferenceArray<>(KEPT);

    public Staging borrow() {
      for (int i = 0; i < KEPT; i++) {
        if (idle.getPlain(i) != null) {
          Staging found = idle.getAndSet(i, null);
          if (found != null) {
            return found;
          }
        }
      }
      try {
        return new Staging(this);
      } catch (OutOfMemoryError none) {
        throw new FabricException(
            Errno.ENOMEM,
            "no memory outside the heap for a message: raise -XX:MaxDirectMemorySize",
            none);
      }
    }

    private void giveBack(Staging staging) {
      for (int i = 0; i < KEPT; i++) {
        if (idle.getPlain(i) == null && idle.compareAndSet(i, null, staging)) {
          return;
        }
      }
      // More threads than are worth keeping buffers for: this one is left to the collector.
    }
  }
}
