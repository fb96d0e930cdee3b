// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * Why a provider has nothing to offer for some hints.
 *
 * @param provider the provider's name
 * @param errno {@link Errno#ENODATA} as a rule, {@link Errno#ENOSYS} for a version that is too new
 * @param reason the hint that cannot be met, its value, and what could be
 */
public record Refusal(String provider, Errno errno, String reason) {
  @Override
  public String toString() {
    return Printable.line(provider + ": " + reason);
  }
}
