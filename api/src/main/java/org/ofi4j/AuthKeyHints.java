// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * The authorization keys that endpoints need, as {@link Hints} name them. Keys are in the address
 * vector, or the domain or endpoint has one; providers refuse hints that ask for both (AV-156,
 * AV-157). Immutable; each {@code with} method returns a changed copy.
 */
public final class AuthKeyHints {
  private static final AuthKeyHints NONE = new AuthKeyHints(new Values());

  private final Values values;

  private AuthKeyHints(Values values) {
    this.values = values;
  }

  /** {@return hints that ask for no keys} */
  public static AuthKeyHints none() {
    return NONE;
  }

  /** {@return hints that ask for keys in the address vector, as many as the provider allows} */
  public static AuthKeyHints inVector() {
    return NONE.with(copy -> copy.keysInVector = true);
  }

  /**
   * {@return hints that ask for keys in the address vector}
   *
   * @param maxEndpointKeys as {@link #withMaxEndpointKeys} has it
   */
  public static AuthKeyHints inVector(int maxEndpointKeys) {
    return inVector().withMaxEndpointKeys(maxEndpointKeys);
  }

  /**
   * {@return whether keys are inserted into the address vector: {@code auth_key_size} is {@code
   * FI_AV_AUTH_KEY}}
   */
  public boolean keysInVector() {
    return values.keysInVector;
  }

  /** {@return the number of keys needed on one endpoint, 0 for as many as the provider allows} */
  public int maxEndpointKeys() {
    return values.maxEndpointKeys;
  }

  /**
   * {@return a copy with another {@code max_ep_auth_key}}
   *
   * @param keys the number of keys needed on one endpoint, which are as many as its vector may
   *     have; 0 for as many as the provider allows
   */
  public AuthKeyHints withMaxEndpointKeys(int keys) {
    return with(copy -> copy.maxEndpointKeys = keys);
  }

  /** {@return the domain's key in a new array, or null for none} */
  public byte @Nullable [] domainKey() {
    return clone(values.domainKey);
  }

  /**
   * {@return a copy with another key of the domain}
   *
   * @param key the domain's {@code auth_key}, of {@code auth_key_size} bytes; null for none
   */
  public AuthKeyHints withDomainKey(byte @Nullable [] key) {
    byte[] kept = clone(key);
    return with(copy -> copy.domainKey = kept);
  }

  /** {@return the endpoint's key in a new array, or null for none} */
  public byte @Nullable [] endpointKey() {
    return clone(values.endpointKey);
  }

  /**
   * {@return a copy with another key of the endpoint}
   *
   * @param key the endpoint's {@code auth_key}; null for none
   */
  public AuthKeyHints withEndpointKey(byte @Nullable [] key) {
    byte[] kept = clone(key);
    return with(copy -> copy.endpointKey = kept);
  }

  private static byte @Nullable [] clone(byte @Nullable [] key) {
    return key == null ? null : key.clone();
  }

  private AuthKeyHints with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new AuthKeyHints(copy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AuthKeyHints hints
        && hints.values.all().equals(values.all())
        && Arrays.equals(hints.values.domainKey, values.domainKey)
        && Arrays.equals(hints.values.endpointKey, values.endpointKey);
  }

  @Override
  public int hashCode() {
    return (values.all().hashCode() * 31 + Arrays.hashCode(values.domainKey)) * 31
        + Arrays.hashCode(values.endpointKey);
  }

  /** {@return the fields that differ from those of {@link #none}, without the bytes of any key} */
  @Override
  public String toString() {
    return values.text("AuthKeyHints", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private boolean keysInVector;
    private int maxEndpointKeys;
    private byte @Nullable [] domainKey;
    private byte @Nullable [] endpointKey;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("keysInVector", keysInVector);
      to.put("maxEndpointKeys", maxEndpointKeys);
      to.put("domainKey", shown(domainKey));
      to.put("endpointKey", shown(endpointKey));
    }

    private static String shown(byte @Nullable [] key) {
      return key == null ? "none" : key.length + " bytes";
    }
  }
}
