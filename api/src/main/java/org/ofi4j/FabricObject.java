// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * {@code struct fid}: what all fabric objects have in common, a context and a close.
 *
 * <p>Safe to call from any thread. Once an object is closed, calls that need it fail with {@link
 * Errno#EINVAL}; those that say what it was opened with go on answering.
 */
public interface FabricObject extends AutoCloseable {
  /**
   * {@code fid.context}: what the application passed when it opened the object.
   *
   * @return the context, or null when none was given
   */
  @Nullable Object context();

  /** {@return whether the object can still be used; false once {@link #close} has succeeded} */
  boolean isOpen();

  /**
   * {@code fi_close}: releases the object. Closing it again does nothing.
   *
   * @throws FabricBusyException if other objects use this one; it then stays open and unchanged
   */
  @Override
  void close();
}
