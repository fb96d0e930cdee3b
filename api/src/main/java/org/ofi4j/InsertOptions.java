// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What an insertion of values may carry besides the addresses.
 *
 * @param flags bits of {@link InsertFlag}
 * @param input {@code fi_addr} on input: a user id per address with {@link InsertFlag#USER_ID}, an
 *     authorization key handle with {@link InsertFlag#AUTH_KEY}, else null
 * @param context identifies the operation in events of an asynchronous vector
 */
public record InsertOptions(long flags, long @Nullable [] input, @Nullable Object context) {
  private static final InsertOptions NONE = new InsertOptions(0, null, null);

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
   * Adds a user id for each address, which completions report instead of the handle. Where {@link
   * DuplicatePolicy#SHARE} holds, the id of an address that is there already replaces that of its
   * entry, for all who share the handle.
   *
   * @param userIds as many as there are addresses; any value is legal
   * @return the changed copy
   */
  public InsertOptions userIds(long... userIds) {
    Arguments.required(userIds, "userIds");
    return new InsertOptions(flags | InsertFlag.USER_ID.mask(), userIds.clone(), context);
  }

  /**
   * Adds the handle of an authorization key for each address, which is then inserted under it.
   *
   * @param authKeys as many as there are addresses, from {@link AddressVector#insertAuthKey}
   * @return the changed copy
   */
  public InsertOptions authKeys(long... authKeys) {
    Arguments.required(authKeys, "authKeys");
    return new InsertOptions(flags | InsertFlag.AUTH_KEY.mask(), authKeys.clone(), context);
  }

  /**
   * Adds one authorization key for all addresses.
   *
   * @param authKey the handle of the key, from {@link AddressVector#insertAuthKey}
   * @param addresses how many addresses there are, at least 0
   * @return the changed copy
   */
  public InsertOptions authKey(long authKey, int addresses) {
    if (addresses < 0) {
      throw new FabricException(Errno.EINVAL, "addresses " + addresses + " is negative");
    }
    long[] all = new long[addresses];
    Arrays.fill(all, authKey);
    return new InsertOptions(flags | InsertFlag.AUTH_KEY.mask(), all, context);
  }

  /**
   * Adds a context.
   *
   * @param context identifies the operation in events
   * @return the changed copy
   */
  public InsertOptions context(@Nullable Object context) {
    return new InsertOptions(flags, input, context);
  }
}
