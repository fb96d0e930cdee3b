// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Descriptors that one thread at a time waits for with {@code poll}: one of its own, by which any
 * thread ends the wait, and those of queues.
 *
 * <pre>
 *   struct pollfd i, 8 bytes at 8 * i:  0 descriptor (4) | 4 events (2) | 6 what came of them (2)
 *   at 8 * room:                        the 8 bytes that an eventfd is read and written with
 * </pre>
 */
public final class Descriptors implements AutoCloseable {
  static final int POLLIN = 1;
  static final int SIZE = 8;

  private final Arena arena = Arena.ofShared();
  private final int wakeup;
  private final long wakeValue;
  private MemorySegment polled;
  private int count;

  /** Waits for nothing yet. */
  public Descriptors(Libfabric library) {
    wakeup = CLibrary.eventfd();
    if (wakeup < 0) {
      arena.close();
      throw new FabricException(
          Errno.EMFILE, "no descriptor to wake waiting threads by: raise the limit of open files");
    }
    wakeValue = arena.allocate(2 * Long.BYTES, Long.BYTES).address();
    RawMemory.putLong(wakeValue, 1);
    polled = arena.allocate(4L * SIZE, SIZE);
  }

  /** Begins the list of what is waited for. For the thread that waits, as the following are. */
  public void begin() {
    count = 0;
    add(wakeup);
  }

  public void add(int descriptor) {
    if ((count + 1L) * SIZE > polled.byteSize()) {
      MemorySegment larger = arena.allocate(2 * polled.byteSize(), SIZE);
      larger.copyFrom(polled);
      polled = larger;
    }
    long entry = polled.address() + (long) count++ * SIZE;
    RawMemory.putInt(entry, descriptor);
    RawMemory.putInt(entry + Integer.BYTES, POLLIN);
  }

  /**
   * Waits until one of them is ready, somebody {@linkplain #wake wakes}, or time is up.
   *
   * @return whether one is ready, and nobody has woken
   */
  public boolean await(int milliseconds) {
    int ready = CLibrary.poll(polled.address(), count, milliseconds);
    boolean woken = CLibrary.read(wakeup, wakeValue + Long.BYTES, Long.BYTES) > 0;
    return ready > 0 && !woken;
  }

  /** Ends the wait that is under way, or else the next one. Any thread may call. */
  public void wake() {
    CLibrary.write(wakeup, wakeValue, Long.BYTES);
  }

  @Override
  public void close() {
    CLibrary.close(wakeup);
    arena.close();
  }
}
