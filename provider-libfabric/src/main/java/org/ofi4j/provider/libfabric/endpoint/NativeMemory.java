// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.provider.kit.AllocatedMemory;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Registration;

/**
 * Memory that is sent from and received into without a copy. It is freed when it is closed and no
 * operation uses it any more.
 */
final class NativeMemory extends AllocatedMemory {
  private final DomainResources resources;

  // Guarded by the lock of the domain, as what follows is.
  private final @Nullable Registration registration;
  private int uses;
  private boolean closed;

  /** Allocates memory, and registers it where the fabric demands that. */
  NativeMemory(Domain domain, DomainResources resources, long bytes) {
    super(domain, bytes, true);
    this.resources = resources;
    resources.lock();
    try {
      registration = resources.registered(segment(), null);
      resources.allocated().add(this);
    } catch (RuntimeException | Error refused) {
      closed = true;
      close();
      throw refused;
    } finally {
      resources.unlock();
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
    resources.lock();
    try {
      if (closed) {
        free();
        return;
      }
      closed = true;
      resources.allocated().remove(this);
      if (uses == 0) {
        dispose();
      }
    } finally {
      resources.unlock();
    }
  }

  private void dispose() {
    if (registration != null) {
      registration.close();
    }
    free();
  }
}
