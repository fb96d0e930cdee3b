// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * What an insertion of values may carry besides the addresses. Immutable; equal options have equal
 * contents. An insertion carries either user ids or authorization keys: in C, both are the input of
 * the same array.
 *
 * @param flags bits of {@link InsertFlag}
 * @param input {@code fi_addr} on input: a user id for each address with {@link
 *     InsertFlag#USER_ID}, an authorization key handle with {@link InsertFlag#AUTH_KEY}, else null
 * @param context identifies the operation in events of an asynchronous vector
 */
public record InsertOptions(long flags, long @Nullable [] input, @Nullable Object context) {
  private static final InsertOptions NONE = new InsertOptions(0, null, null);

  /** Keeps a copy of the input. */
  public InsertOptions(long flags, long @Nullable [] input, @Nullable Object context) {
    this.flags = flags;
    this.input = input == null ? null : input.clone();
    this.context = context;
  }

  /** {@return options without flags, user ids and context} */
  public static InsertOptions none() {
    return NONE;
  }

  /**
   * Flags alone.
   *
   * @param flags the flags
   * @return the options
   */
  public static InsertOptions of(InsertFlag... flags) {
    return new InsertOptions(Flag.maskOf(flags), null, null);
  }

  /**
   * Sets a user id for each address, which completions report instead of the handle. Where {@link
   * DuplicatePolicy#SHARE} holds, the id of an address that is there already replaces that of its
   * entry, for all who share the handle.
   *
   * @param userIds as many as there are addresses; any value is legal
   * @return the changed copy
   * @throws FabricException with {@link Errno#EINVAL} if there are authorization keys
   */
  public InsertOptions withUserIds(long... userIds) {
    return withInput(InsertFlag.USER_ID, userIds, "userIds", InsertFlag.AUTH_KEY);
  }

  /**
   * Sets the handle of an authorization key for each address, which is then inserted under it.
   *
   * @param authKeys as many as there are addresses, from {@link AddressVector#insertAuthKey}
   * @return the changed copy
   * @throws FabricException with {@link Errno#EINVAL} if there are user ids
   */
  public InsertOptions withAuthKeys(long... authKeys) {
    return withInput(InsertFlag.AUTH_KEY, authKeys, "authKeys", InsertFlag.USER_ID);
  }

  /**
   * Sets one authorization key for all addresses.
   *
   * @param authKey the handle of the key, from {@link AddressVector#insertAuthKey}
   * @param addresses how many addresses there are, at least 0
   * @return the changed copy
   * @throws FabricException with {@link Errno#EINVAL} if there are user ids, or the number is
   *     negative
   */
  public InsertOptions withAuthKey(long authKey, int addresses) {
    if (addresses < 0) {
      throw new FabricException(Errno.EINVAL, "addresses " + addresses + " is negative");
    }
    long[] all = new long[addresses];
    Arrays.fill(all, authKey);
    return withAuthKeys(all);
  }

  /**
   * Sets the context.
   *
   * @param context identifies the operation in events
   * @return the changed copy
   */
  public InsertOptions withContext(@Nullable Object context) {
    return new InsertOptions(flags, input, context);
  }

  /** {@return the input in a new array, or null} */
  @Override
  public long @Nullable [] input() {
    return input == null ? null : input.clone();
  }

  private InsertOptions withInput(InsertFlag kind, long[] given, String name, InsertFlag other) {
    Arguments.required(given, name);
    if ((flags & other.mask()) != 0) {
      throw new FabricException(
          Errno.EINVAL,
          name
              + ": these options carry "
              + (other == InsertFlag.USER_ID ? "user ids" : "authorization keys")
              + " already, and an insertion carries one of the two; user ids can be set later with"
              + " setUserId");
    }
    return new InsertOptions(flags | kind.mask(), given, context);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InsertOptions options
        && flags == options.flags
        && Arrays.equals(input, options.input)
        && Objects.equals(context, options.context);
  }

  @Override
  public int hashCode() {
    return Objects.hash(flags, Arrays.hashCode(input), context);
  }

  /** Flags, user ids or keys, and context. */
  @Override
  public String toString() {
    return "InsertOptions[flags="
        + Flag.names(InsertFlag.class, flags)
        + ", input="
        + Arrays.toString(input)
        + ", context="
        + context
        + "]";
  }
}
