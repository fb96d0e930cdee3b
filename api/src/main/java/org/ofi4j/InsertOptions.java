// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * Flags, user ids or authorization keys, and the context of an insertion of values. An insertion
 * carries either user ids or authorization keys: in C, both are the input of the same array.
 * Immutable; each {@code with} method returns a changed copy. Equal options have equal contents.
 */
public final class InsertOptions {
  private static final InsertOptions NONE = new InsertOptions(new Values());

  private final Values values;

  private InsertOptions(Values values) {
    this.values = values;
  }

  /** {@return options without flags, user ids and context} */
  public static InsertOptions none() {
    return NONE;
  }

  /**
   * {@return options with flags alone}
   *
   * @param flags the flags
   */
  public static InsertOptions of(InsertFlag... flags) {
    return NONE.withFlags(flags);
  }

  /**
   * {@return options as the C call has them} The insertion checks whether flags and input agree.
   *
   * @param flags bits of {@link InsertFlag}
   * @param input {@code fi_addr} on input: a user id for each address with {@link
   *     InsertFlag#USER_ID}, the handle of an authorization key with {@link InsertFlag#AUTH_KEY};
   *     otherwise null
   */
  public static InsertOptions of(long flags, long @Nullable [] input) {
    long[] kept = input == null ? null : input.clone();
    return NONE.with(copy -> {
      copy.flags = flags;
      copy.input = kept;
    });
  }

  /** {@return bits of {@link InsertFlag}} */
  public long flags() {
    return values.flags;
  }

  /**
   * {@return a copy with these flags alone} User ids and authorization keys keep their flag.
   *
   * @param flags the flags
   */
  public InsertOptions withFlags(InsertFlag... flags) {
    long kinds = InsertFlag.USER_ID.mask() | InsertFlag.AUTH_KEY.mask();
    long kept = values.input == null ? 0 : values.flags & kinds;
    long mask = Flag.maskOf(flags) | kept;
    return with(copy -> copy.flags = mask);
  }

  /** {@return the user ids or the handles of authorization keys in a new array, or null} */
  public long @Nullable [] input() {
    return values.input == null ? null : values.input.clone();
  }

  /**
   * {@return a copy with a user id for each address, which completions report instead of the
   * handle} Where {@link DuplicatePolicy#SHARE} holds, the id of an address that the vector already
   * has replaces that of its entry, for all users of the handle.
   *
   * @param userIds as many as there are addresses; any value is legal
   * @throws FabricException with {@link Errno#EINVAL} if there are authorization keys
   */
  public InsertOptions withUserIds(long... userIds) {
    return withInput(InsertFlag.USER_ID, userIds, "userIds", InsertFlag.AUTH_KEY);
  }

  /**
   * {@return a copy with the handle of an authorization key for each address, which is then
   * inserted under it}
   *
   * @param authKeys as many as there are addresses, from {@link AddressVector#insertAuthKey}
   * @throws FabricException with {@link Errno#EINVAL} if there are user ids
   */
  public InsertOptions withAuthKeys(long... authKeys) {
    return withInput(InsertFlag.AUTH_KEY, authKeys, "authKeys", InsertFlag.USER_ID);
  }

  /**
   * {@return a copy with one authorization key for all addresses}
   *
   * @param authKey the handle of the key, from {@link AddressVector#insertAuthKey}
   * @param addresses how many addresses there are, at least 0
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

  private InsertOptions withInput(InsertFlag kind, long[] given, String name, InsertFlag other) {
    Arguments.required(given, name);
    if ((values.flags & other.mask()) != 0) {
      throw new FabricException(
          Errno.EINVAL,
          name
              + ": these options carry "
              + (other == InsertFlag.USER_ID ? "user ids" : "authorization keys")
              + " already, and an insertion carries one of the two; user ids can be set later with"
              + " setUserId");
    }
    long[] kept = given.clone();
    return with(copy -> {
      copy.flags |= kind.mask();
      copy.input = kept;
    });
  }

  /** {@return the object that identifies the operation in events, or null} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context identifies the operation in events of an asynchronous vector
   */
  public InsertOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private InsertOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new InsertOptions(copy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InsertOptions options && options.values.all().equals(values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("InsertOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private long flags;
    private long @Nullable [] input;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("flags", Flag.names(InsertFlag.class, flags));
      to.put("input", input == null ? null : Arrays.stream(input).boxed().toList());
      to.put("context", context);
    }
  }
}
