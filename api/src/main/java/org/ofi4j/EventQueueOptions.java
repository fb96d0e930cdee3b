// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * {@code struct fi_eq_attr}.
 *
 * @param size how many events fit before new ones are lost ({@link Errno#EOVERRUN}); 0 for the
 *     default, {@value #DEFAULT_SIZE}. The completions of insertions are never lost: beyond the
 *     size there is room for one of each call
 * @param context returned by {@link FabricObject#context}
 */
public record EventQueueOptions(int size, @Nullable Object context) {
  /** How many events fit when the application does not say. */
  public static final int DEFAULT_SIZE = 65_536;

  /** Checks the size. */
  public EventQueueOptions {
    if (size < 0) {
      throw new FabricException(
          Errno.EINVAL, "event queue size " + size + " is negative: use 0 for the default");
    }
  }

  /** {@return options with the default size and no context} */
  public static EventQueueOptions defaults() {
    return new EventQueueOptions(0, null);
  }
}
