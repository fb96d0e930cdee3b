// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * {@code struct fi_cq_attr}.
 *
 * @param size how many completions fit, up to 1,048,576; 0 for the default, {@value #DEFAULT_SIZE}.
 *     While it is full operations wait, and no completion is lost
 * @param format which fields are filled in; the others are 0
 * @param context returned by {@link FabricObject#context}
 */
public record CompletionQueueOptions(int size, CompletionFormat format, @Nullable Object context) {
  /** How many completions fit when the application does not say. */
  public static final int DEFAULT_SIZE = 8192;

  /** Checks the size. */
  public CompletionQueueOptions {
    Arguments.required(format, "format");
    if (size < 0) {
      throw new FabricException(
          Errno.EINVAL, "completion queue size " + size + " is negative: use 0 for the default");
    }
  }

  /** {@return options with the default size, all fields and no context} */
  public static CompletionQueueOptions defaults() {
    return new CompletionQueueOptions(0, CompletionFormat.UNSPECIFIED, null);
  }

  /**
   * {@return options with the default size and one format}
   *
   * @param format which fields are filled in
   */
  public static CompletionQueueOptions of(CompletionFormat format) {
    return new CompletionQueueOptions(0, format, null);
  }
}
