// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * What a {@link SharedReceiveContext} is opened with.
 *
 * @param minMultiReceive as {@link EndpointOptions#minMultiReceive}
 * @param context what {@link FabricObject#context} says
 */
public record SharedReceiveOptions(long minMultiReceive, @Nullable Object context) {
  private static final SharedReceiveOptions NONE = new SharedReceiveOptions(0, null);

  /** Refuses a number of bytes that is none. */
  public SharedReceiveOptions {
    Arguments.minMultiReceive(minMultiReceive);
  }

  /** {@return options that say nothing} */
  public static SharedReceiveOptions none() {
    return NONE;
  }

  /**
   * {@return a copy with another {@code minMultiReceive}}
   *
   * @param bytes 1 or more, or 0 for the default
   */
  public SharedReceiveOptions withMinMultiReceive(long bytes) {
    return new SharedReceiveOptions(bytes, context);
  }

  /**
   * {@return a copy with another context}
   *
   * @param value any object
   */
  public SharedReceiveOptions withContext(@Nullable Object value) {
    return new SharedReceiveOptions(minMultiReceive, value);
  }
}
