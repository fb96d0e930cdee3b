// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

  /**
   * Closes the objects that use this one, directly or not, and then this one: of a fabric its
   * domains, with their endpoints, regions, vectors, queues and counters. Each object is closed
   * after those that use it. If one cannot be closed, the others are closed all the same.
   *
   * <p>For tests and tools. Other threads must not open or close objects that use this one at that
   * time: an object that they are opening may be closed before they have it, and one that they are
   * closing makes this method fail.
   *
   * @return the objects that were left open beside this one, in the order in which they were closed
   * @throws FabricBusyException if objects are in use by others that could not be closed. This and
   *     other failures to close are suppressed in the first one
   */
  default List<FabricObject> closeAll() {
    List<FabricObject> closed = new ArrayList<>();
    List<RuntimeException> failures = new ArrayList<>();
    closeAll(this, Collections.newSetFromMap(new IdentityHashMap<>()), closed, failures);
    if (!failures.isEmpty()) {
      RuntimeException first = failures.removeFirst();
      failures.forEach(first::addSuppressed);
      throw first;
    }
    closed.removeLast();
    return closed;
  }

  private static void closeAll(
      FabricObject object,
      Set<FabricObject> tried,
      List<FabricObject> closed,
      List<RuntimeException> failures) {
    if (!tried.add(object)) {
      return;
    }
    while (true) {
      try {
        object.close();
        closed.add(object);
        return;
      } catch (FabricBusyException busy) {
        if (tried.containsAll(busy.holders())) {
          failures.add(busy);
          return;
        }
        busy.holders().forEach(holder -> closeAll(holder, tried, closed, failures));
      } catch (RuntimeException failed) {
        failures.add(failed);
        return;
      }
    }
  }
}
