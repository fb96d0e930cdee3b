// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.TransferMemory;
import org.ofi4j.core.object.CoreObject;

/**
 * Memory outside the heap that a domain has allocated for messages. Any thread may use it.
 *
 * <p>Memory of an {@linkplain Arena#ofAuto automatic arena} is freed when nothing refers to it any
 * more, so it is kept as long as an operation uses it. Native code refers to memory unseen: its
 * memory is of a shared arena, which the subclass {@linkplain #free closes}.
 */
public abstract class AllocatedMemory extends CoreObject implements TransferMemory {
  private static final long PAGE = 4_096;

  private final Domain domain;
  private final boolean isShared;
  private final Arena arena;
  private final MemorySegment segment;

  /**
   * Allocates memory that is all zeros.
   *
   * @param domain the domain of the memory, which stays open as long as the memory
   * @param bytes the number of bytes, at least 1
   * @param isShared whether the memory is of a shared arena, which {@link #free} closes
   * @throws FabricException with {@link Errno#EINVAL} if {@code bytes} is less than 1, or {@link
   *     Errno#ENOMEM} if there is no memory
   */
  protected AllocatedMemory(Domain domain, long bytes, boolean isShared) {
    this.domain = domain;
    this.isShared = isShared;
    if (bytes < 1) {
      throw invalid("bytes " + bytes + ": memory for messages has at least 1");
    }
    arena = isShared ? Arena.ofShared() : Arena.ofAuto();
    try {
      segment = arena.allocate(bytes, bytes < PAGE ? Long.BYTES : PAGE);
      lifetime.hold(((CoreObject) domain).lifetime());
    } catch (OutOfMemoryError exhausted) {
      free();
      throw new FabricException(
          Errno.ENOMEM, "no memory outside the heap: " + bytes + " bytes", exhausted);
    } catch (FabricException closedMeanwhile) {
      free();
      throw closedMeanwhile;
    }
  }

  /** Ends the use of the memory: called once, when it is closed. */
  @Override
  protected abstract void release();

  /** Frees memory of a shared arena, which nothing may use any more; keeps other memory. */
  protected final void free() {
    if (isShared && arena.scope().isAlive()) {
      arena.close();
    }
  }

  @Override
  public final Domain domain() {
    return domain;
  }

  @Override
  public final MemorySegment segment() {
    lifetime.checkOpen();
    return segment;
  }

  final long address() {
    return segment.address();
  }

  final boolean contains(long start, long length) {
    return start >= address() && length <= segment.byteSize() - (start - address());
  }

  @Override
  public final String toString() {
    return "memory of " + segment.byteSize() + " bytes of " + domain;
  }
}
