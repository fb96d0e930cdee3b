// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Calls that are refused because of what was asked for: what they are answered with. */
public final class Misuse {
  private Misuse() {}

  /** {@code -FI_EINVAL}: the arguments make no sense here. */
  public static FabricException invalid(String message) {
    return new FabricException(Errno.EINVAL, message);
  }

  /** {@code -FI_ENOSYS}: what was asked for is not there. */
  public static FabricException unsupported(String message) {
    return new FabricException(Errno.ENOSYS, message);
  }

  /**
   * {@code -FI_EBADFLAGS}: flags mean nothing to a call.
   *
   * @param words go on after the flags
   */
  public static FabricException badFlags(long flags, String words) {
    return new FabricException(Errno.EBADFLAGS, "flags 0x" + Long.toHexString(flags) + words);
  }

  /** Returns the message of a refusal without its errno. */
  public static String reason(FabricException refusal) {
    String message = String.valueOf(refusal.getMessage());
    return message.substring(message.indexOf(": ") + 2);
  }

  /** Refuses null where a value is needed (AV-010). */
  public static <T> T required(@Nullable T value, String name) {
    if (value == null) {
      throw invalid(name + " is null, but a value is needed");
    }
    return value;
  }
}
