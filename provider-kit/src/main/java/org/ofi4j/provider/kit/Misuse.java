// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Refusals of calls because of what they ask for, in the words of all providers. */
public final class Misuse {
  private Misuse() {}

  /**
   * Returns the exception of arguments that make no sense here.
   *
   * @param message names the argument, its value and the rule
   * @return an exception with {@link Errno#EINVAL}
   */
  public static FabricException invalid(String message) {
    return org.ofi4j.core.object.Misuse.invalid(message);
  }

  /**
   * Returns the exception of a request that the provider does not support.
   *
   * @param message names the request and the remedy
   * @return an exception with {@link Errno#ENOSYS}
   */
  public static FabricException unsupported(String message) {
    return org.ofi4j.core.object.Misuse.unsupported(message);
  }

  /**
   * Returns the exception of flags that mean nothing to a call.
   *
   * @param flags the flags
   * @param words the reason, which follows the flags in the message
   * @return an exception with {@link Errno#EBADFLAGS}
   */
  public static FabricException badFlags(long flags, String words) {
    return org.ofi4j.core.object.Misuse.badFlags(flags, words);
  }

  /**
   * Returns the message of a refusal without its errno.
   *
   * @param refusal the refusal
   * @return the message
   */
  public static String reason(FabricException refusal) {
    return org.ofi4j.core.object.Misuse.reason(refusal);
  }

  /**
   * Checks that an argument is not null.
   *
   * @param <T> the type of the argument
   * @param value the argument
   * @param name its name, for the message of the error
   * @return the argument
   * @throws FabricException with {@link Errno#EINVAL} if it is null
   */
  public static <T> T required(@Nullable T value, String name) {
    return org.ofi4j.core.object.Misuse.required(value, name);
  }
}
