// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Refuses null where a value is needed (AV-010). */
public final class Required {
  private Required() {}

  public static <T> T value(@Nullable T value, String name) {
    if (value == null) {
      throw new FabricException(Errno.EINVAL, name + " is null, but a value is needed");
    }
    return value;
  }
}
