// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.provider.kit.AllocatedMemories;
import org.ofi4j.provider.kit.AllocatedMemory;
import org.ofi4j.provider.libfabric.library.NativeRegion;
import org.ofi4j.provider.libfabric.progress.LockedFabric;

/**
 * Memory that is sent from and received into without a copy. It is freed when it is closed and no
 * operation uses it any more.
 */
final class NativeMemory extends AllocatedMemory {
  private final LockedFabric locked;
  private final AllocatedMemories<NativeMemory> all;

  // Guarded by the lock of the domain, as what follows is.
  private final @Nullable NativeRegion registration;
  private int uses;
  private boolean closed;

  /**
   * Allocates memory.
   *
   * @param locked has the lock of the domain
   * @param all the memories of the domain
   * @param registrar registers memory; returns null where the fabric does not demand that
   */
  NativeMemory(
      Domain domain,
      LockedFabric locked,
      AllocatedMemories<NativeMemory> all,
      Function<MemorySegment, @Nullable NativeRegion> registrar,
      long bytes) {
    super(domain, bytes, true);
    this.locked = locked;
    this.all = all;
    try (var _ = locked.lock()) {
      registration = registrar.apply(segment());
      all.add(this);
    } catch (RuntimeException | Error refused) {
      closed = true;
      close();
      throw refused;
    }
  }

  /** What operations with the memory bring. */
  long descriptor() {
    return registration == null ? 0 : registration.descriptor();
  }

  /** An operation uses the memory from now on. */
  void use() {
    uses++;
  }

  /** An operation that has used the memory has ended. */
  void unuse() {
    uses--;
    if (closed && uses == 0) {
      dispose();
    }
  }

  @Override
  protected void release() {
    try (var _ = locked.lock()) {
      if (closed) {
        free();
        return;
      }
      closed = true;
      all.remove(this);
      if (uses == 0) {
        dispose();
      }
    }
  }

  private void dispose() {
    if (registration != null) {
      registration.close();
    }
    free();
  }
}
