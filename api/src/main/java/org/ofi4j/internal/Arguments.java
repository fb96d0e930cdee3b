// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Checks of arguments that every type of this package makes in the same words (AV-010). */
public final class Arguments {
  private Arguments() {}

  /** A copy of a list that has no null. */
  public static <T> List<T> copyOf(@Nullable List<? extends T> list, String name) {
    required(list, name).forEach(each -> required(each, name));
    return List.copyOf(list);
  }

  /** Refuses a least rest of a buffer for several messages that is none; 0 is the default. */
  public static void minMultiReceive(long bytes) {
    if (bytes < 0) {
      throw new FabricException(
          Errno.EINVAL,
          "minMultiReceive " + bytes + ": give 1 or more bytes, or 0 for the default");
    }
  }

  public static <T> T required(@Nullable T value, String name) {
    if (value == null) {
      throw new FabricException(Errno.EINVAL, name + " is null, but a value is needed");
    }
    return value;
  }
}
