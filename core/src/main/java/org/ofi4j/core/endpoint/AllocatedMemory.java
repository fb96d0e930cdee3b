// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.TransferMemory;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;

/** Memory outside the heap that a domain has allocated for messages. Any thread may use it. */
public class AllocatedMemory extends CoreObject implements TransferMemory {
  private static final long PAGE = 4_096;

  private final Domain domain;
  private final Arena arena;
  private final MemorySegment segment;

  /**
   * Allocates memory.
   *
   * @param domainLifetime keeps the domain open as long as the memory is
   * @throws FabricException with {@link Errno#EINVAL} or {@link Errno#ENOMEM}
   */
  public AllocatedMemory(Domain domain, Lifetime domainLifetime, long bytes) {
    this.domain = domain;
    if (bytes < 1) {
      throw invalid("bytes " + bytes + ": memory for messages has at least 1");
    }
    arena = Arena.ofShared();
    try {
      segment = arena.allocate(bytes, bytes < PAGE ? Long.BYTES : PAGE);
      lifetime.hold(domainLifetime);
    } catch (OutOfMemoryError exhausted) {
      arena.close();
      throw new FabricException(
          Errno.ENOMEM, "no memory outside the heap: " + bytes + " bytes", exhausted);
    } catch (FabricException closedMeanwhile) {
      arena.close();
      throw closedMeanwhile;
    }
  }

  /** Frees the memory. */
  @Override
  protected void release() {
    free();
  }

  /** Frees the memory, once nobody uses it any more. */
  protected final void free() {
    if (arena.scope().isAlive()) {
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

  @Override
  public final String toString() {
    return "memory of " + segment.byteSize() + " bytes of " + domain;
  }
}
