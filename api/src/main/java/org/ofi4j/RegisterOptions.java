// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * How memory is registered: {@code struct fi_mr_attr}, with {@code struct fi_mr_auth_key} for
 * domains that have the authorization keys of their endpoints in vectors ({@link
 * FabricInfo.DomainAttributes#KEYS_IN_VECTOR}). There, peers reach a region under keys that a
 * vector had when it was registered: the region does not get those that are inserted later, and
 * those that it has are not removed before it is closed. A peer under another key loses the
 * connection, before a byte is moved.
 *
 * <p>Immutable; each {@code with} method returns a changed copy.
 */
public final class RegisterOptions {
  /** The peers of a vector that a region is for. */
  public enum ReachedBy {
    /** Peers under any authorization key that the vector has. */
    ANY,
    /** {@code FI_AUTH_KEY}: peers under one authorization key. */
    AUTH_KEY,
    /**
     * One peer, which was inserted under a key. No peer reaches the region after that entry has
     * been removed.
     */
    PEER
  }

  private static final RegisterOptions NONE = new RegisterOptions(new Values());

  private final Values values;

  private RegisterOptions(Values values) {
    this.values = values;
  }

  /**
   * {@return options for memory that any peer reaches that knows the key}
   *
   * @param access the uses that are allowed; none if peers do not access it
   */
  public static RegisterOptions of(Access... access) {
    long mask = Flag.maskOf(access);
    return NONE.with(copy -> copy.access = mask);
  }

  /** {@return the uses that are allowed, bits of {@link Access}} */
  public long access() {
    return values.access;
  }

  /** {@return the key that peers name the region by, empty for one of the provider's choice} */
  public OptionalLong key() {
    return values.key;
  }

  /**
   * {@return a copy with a key of the application's choice} The provider's choice, which holds
   * otherwise, cannot be guessed. It is no authorization key.
   *
   * @param key the number that peers name the region by, any but {@link Handles#KEY_NOT_AVAILABLE}
   */
  public RegisterOptions withKey(long key) {
    return with(copy -> copy.key = OptionalLong.of(key));
  }

  /** {@return the vector whose authorization keys count, null if there are none} */
  public @Nullable AddressVector vector() {
    return values.vector;
  }

  /** {@return the peers of the vector that the region is for} */
  public ReachedBy reachedBy() {
    return values.reachedBy;
  }

  /**
   * {@return the handle of the authorization key or peer, {@link Handles#UNSPECIFIED} for {@link
   * ReachedBy#ANY}}
   */
  public long source() {
    return values.source;
  }

  /**
   * {@return a copy for peers under any authorization key that a vector has now}
   *
   * @param vector the vector of the endpoints through which peers reach the region
   * @throws FabricException with {@link Errno#EINVAL} if it is null
   */
  public RegisterOptions withAnyAuthKey(AddressVector vector) {
    return with(vector, ReachedBy.ANY, Handles.UNSPECIFIED);
  }

  /**
   * {@return a copy for peers under one authorization key}
   *
   * @param vector the vector of the endpoints through which peers reach the region
   * @param authKey the handle of the key
   * @throws FabricException with {@link Errno#EINVAL} if the vector is null
   */
  public RegisterOptions withAuthKey(AddressVector vector, long authKey) {
    return with(vector, ReachedBy.AUTH_KEY, authKey);
  }

  /**
   * {@return a copy for one peer}
   *
   * @param vector the vector of the endpoints through which the peer reaches the region
   * @param peer the handle of an entry under an authorization key
   * @throws FabricException with {@link Errno#EINVAL} if the vector is null
   */
  public RegisterOptions withPeer(AddressVector vector, long peer) {
    return with(vector, ReachedBy.PEER, peer);
  }

  private RegisterOptions with(AddressVector vector, ReachedBy reachedBy, long source) {
    Arguments.required(vector, "vector");
    return with(copy -> {
      copy.vector = vector;
      copy.reachedBy = reachedBy;
      copy.source = source;
    });
  }

  /** {@return whether the application promises that the memory outlives the region} */
  public boolean lasting() {
    return values.lasting;
  }

  /**
   * {@return a copy that promises that the memory is not freed before the region is closed} The
   * promise is not checked: over native fabrics the JVM may crash if it is broken. Memory that the
   * domain has {@linkplain Domain#allocate allocated} does not need it.
   */
  public RegisterOptions withLastingMemory() {
    return with(copy -> copy.lasting = true);
  }

  /** {@return the region's {@link MemoryRegion#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link MemoryRegion#context}
   */
  public RegisterOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private RegisterOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new RegisterOptions(copy);
  }

  /** {@return the fields that are set, without the key, which is all that protects the memory} */
  @Override
  public String toString() {
    return values.text("RegisterOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private long access;
    private OptionalLong key = OptionalLong.empty();
    private @Nullable AddressVector vector;
    private ReachedBy reachedBy = ReachedBy.ANY;
    private long source = Handles.UNSPECIFIED;
    private boolean lasting;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("access", Flag.names(Access.class, access));
      to.put("key", key.isPresent() ? "given" : "none");
      to.put("vector", vector);
      to.put("reachedBy", reachedBy);
      to.put("source", source);
      to.put("lasting", lasting);
      to.put("context", context);
    }
  }
}
