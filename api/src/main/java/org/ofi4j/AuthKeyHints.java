// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which authorization keys endpoints are to have, as {@link Hints} say it. Keys are in the address
 * vector, or the domain or endpoint has one; providers refuse hints that say both (AV-156, AV-157).
 *
 * @param keysInVector {@code auth_key_size} is {@code FI_AV_AUTH_KEY}: keys are inserted into the
 *     address vector
 * @param maxEndpointKeys {@code max_ep_auth_key}: keys needed on one endpoint, which are as many as
 *     its vector may have; 0 for as many as the provider allows
 * @param domainKey the domain's {@code auth_key}, of {@code auth_key_size} bytes; null for none
 * @param endpointKey the endpoint's {@code auth_key}; null for none
 */
public record AuthKeyHints(
    boolean keysInVector,
    int maxEndpointKeys,
    byte @Nullable [] domainKey,
    byte @Nullable [] endpointKey) {
  private static final AuthKeyHints NONE = new AuthKeyHints(false, 0, null, null);

  /** Takes copies of the keys. */
  public AuthKeyHints {
    domainKey = copy(domainKey);
    endpointKey = copy(endpointKey);
  }

  private static byte @Nullable [] copy(byte @Nullable [] key) {
    return key == null ? null : key.clone();
  }

  /** {@return hints that ask for no keys} */
  public static AuthKeyHints none() {
    return NONE;
  }

  /** {@return hints that ask for keys in the address vector, as many as the provider allows} */
  public static AuthKeyHints inVector() {
    return inVector(0);
  }

  /**
   * {@return hints that ask for keys in the address vector}
   *
   * @param maxEndpointKeys keys needed on one endpoint, 0 for as many as the provider allows
   */
  public static AuthKeyHints inVector(int maxEndpointKeys) {
    return new AuthKeyHints(true, maxEndpointKeys, null, null);
  }

  /**
   * {@return a copy with another key of the domain}
   *
   * @param key the key, or null for none
   */
  public AuthKeyHints withDomainKey(byte @Nullable [] key) {
    return new AuthKeyHints(keysInVector, maxEndpointKeys, key, endpointKey);
  }

  /**
   * {@return a copy with another key of the endpoint}
   *
   * @param key the key, or null for none
   */
  public AuthKeyHints withEndpointKey(byte @Nullable [] key) {
    return new AuthKeyHints(keysInVector, maxEndpointKeys, domainKey, key);
  }

  /** {@return the domain's key in a new array, or null for none} */
  @Override
  public byte @Nullable [] domainKey() {
    return copy(domainKey);
  }

  /** {@return the endpoint's key in a new array, or null for none} */
  @Override
  public byte @Nullable [] endpointKey() {
    return copy(endpointKey);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AuthKeyHints keys
        && keysInVector == keys.keysInVector
        && maxEndpointKeys == keys.maxEndpointKeys
        && Arrays.equals(domainKey, keys.domainKey)
        && Arrays.equals(endpointKey, keys.endpointKey);
  }

  @Override
  public int hashCode() {
    return (Boolean.hashCode(keysInVector) * 31 + maxEndpointKeys) * 31
        + Arrays.hashCode(domainKey)
        + 31 * Arrays.hashCode(endpointKey);
  }

  /** What is asked for, without the bytes of any key. */
  @Override
  public String toString() {
    return "AuthKeyHints[keysInVector=%s, maxEndpointKeys=%d, domainKey=%s, endpointKey=%s]"
        .formatted(keysInVector, maxEndpointKeys, shown(domainKey), shown(endpointKey));
  }

  private static String shown(byte @Nullable [] key) {
    return key == null ? "none" : key.length + " bytes";
  }
}
