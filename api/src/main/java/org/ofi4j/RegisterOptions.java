// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * How memory is registered: {@code struct fi_mr_attr}, with {@code struct fi_mr_auth_key} for
 * domains that have the authorization keys of their endpoints in vectors ({@link
 * FabricInfo.DomainAttributes#KEYS_IN_VECTOR}). There, peers reach a region under keys that a
 * vector had when it was registered: the region does not get those that are inserted later, and
 * those that it has are not removed before it is closed. Whoever comes under another key loses the
 * connection, before a byte is moved.
 *
 * @param access what the memory may be used for, bits of {@link Access}
 * @param key what peers will name the region by; empty for a key of the provider's choice, which
 *     nobody can guess. It is no authorization key
 * @param vector the vector whose authorization keys count, which is that of the endpoints through
 *     which peers will come; null where there are none
 * @param reachedBy whom of that vector the region is for
 * @param source the handle that this names; {@link Handles#UNSPECIFIED} for {@link ReachedBy#ANY}
 * @param lasting whether the application promises that the memory is not freed before the region is
 *     closed. Nobody checks that: over native fabrics a broken promise may end the JVM. Not needed
 *     for memory that the domain has {@linkplain Domain#allocate allocated}
 * @param context what {@link MemoryRegion#context} says
 */
public record RegisterOptions(
    long access,
    OptionalLong key,
    @Nullable AddressVector vector,
    ReachedBy reachedBy,
    long source,
    boolean lasting,
    @Nullable Object context) {
  /** Whom of a vector a region is for. */
  public enum ReachedBy {
    /** Peers under any authorization key that the vector has. */
    ANY,
    /** {@code FI_AUTH_KEY}: peers under one authorization key. */
    AUTH_KEY,
    /**
     * One peer, which was inserted under a key. The region is for nobody any more once that entry
     * has been removed.
     */
    PEER
  }

  /** Refuses nulls, and a key or peer without a vector. */
  public RegisterOptions {
    Arguments.required(key, "key");
    Arguments.required(reachedBy, "reachedBy");
    if (vector == null && reachedBy != ReachedBy.ANY) {
      throw new FabricException(
          Errno.EINVAL, "reachedBy " + reachedBy + ": a key or a peer is one of a vector: name it");
    }
  }

  /**
   * {@return options for memory that anybody reaches who knows the key}
   *
   * @param access what it may be used for
   */
  public static RegisterOptions of(Access... access) {
    return new RegisterOptions(
        Flag.maskOf(access),
        OptionalLong.empty(),
        null,
        ReachedBy.ANY,
        Handles.UNSPECIFIED,
        false,
        null);
  }

  /**
   * {@return a copy with a key of the application's choice}
   *
   * @param chosen any number but {@link Handles#KEY_NOT_AVAILABLE}
   */
  public RegisterOptions withKey(long chosen) {
    return new RegisterOptions(
        access, OptionalLong.of(chosen), vector, reachedBy, source, lasting, context);
  }

  /**
   * {@return a copy for peers under any authorization key that a vector has now}
   *
   * @param of the vector of the endpoints through which peers will come
   */
  public RegisterOptions withAnyAuthKey(AddressVector of) {
    return with(of, ReachedBy.ANY, Handles.UNSPECIFIED);
  }

  /**
   * {@return a copy for peers under one authorization key}
   *
   * @param of the vector of the endpoints through which peers will come
   * @param authKey the handle of the key
   */
  public RegisterOptions withAuthKey(AddressVector of, long authKey) {
    return with(of, ReachedBy.AUTH_KEY, authKey);
  }

  /**
   * {@return a copy for one peer}
   *
   * @param of the vector of the endpoints through which the peer will come
   * @param peer the handle of an entry under an authorization key
   */
  public RegisterOptions withPeer(AddressVector of, long peer) {
    return with(of, ReachedBy.PEER, peer);
  }

  private RegisterOptions with(AddressVector of, ReachedBy by, long handle) {
    Arguments.required(of, "vector");
    return new RegisterOptions(access, key, of, by, handle, lasting, context);
  }

  /**
   * {@return a copy that promises that the memory is not freed before the region is closed} Over
   * native fabrics the JVM may crash if it is.
   */
  public RegisterOptions withLastingMemory() {
    return new RegisterOptions(access, key, vector, reachedBy, source, true, context);
  }

  /**
   * {@return a copy with another context}
   *
   * @param value any object
   */
  public RegisterOptions withContext(@Nullable Object value) {
    return new RegisterOptions(access, key, vector, reachedBy, source, lasting, value);
  }

  /** Returns a description without the key, which is all that protects the memory. */
  @Override
  public String toString() {
    return "RegisterOptions[access=%s, key=%s, vector=%s, reachedBy=%s, source=%s, lasting=%s, context=%s]"
        .formatted(
            Flag.names(Access.class, access),
            key.isPresent() ? "given" : "none",
            vector,
            reachedBy,
            source,
            lasting,
            context);
  }
}
