// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Calls that are refused with {@code -FI_EINVAL}. */
public final class Misuse {
  private Misuse() {}

  /** What a call with arguments that cannot be meant is answered with. */
  public static FabricException invalid(String message) {
    return new FabricException(Errno.EINVAL, message);
  }

  /** Refuses null where a value is needed (AV-010). */
  public static <T> T required(@Nullable T value, String name) {
    if (value == null) {
      throw invalid(name + " is null, but a value is needed");
    }
    return value;
  }
}
