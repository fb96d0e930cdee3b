// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fi_tx_attr} or {@code struct fi_rx_attr} of one context of a {@link
 * ScalableEndpoint}: in what it differs from the others. The default flags of operations, {@code
 * op_flags}, are not among it: calls say their flags themselves here, or have none.
 *
 * @param capabilities bits of {@link Capability} that the context is for, out of those of the
 *     endpoint; 0 for all that concern its half. What concerns the whole endpoint, as its reach and
 *     remote access to its memory, a context neither has nor gives up.
 * @param size how many operations may be posted; 0 for as many as the endpoint's information says
 */
public record ContextAttributes(long capabilities, int size) {
  private static final ContextAttributes DEFAULTS = new ContextAttributes(0, 0);

  /**
   * As the endpoint says.
   *
   * @return attributes that differ in nothing
   */
  public static ContextAttributes defaults() {
    return DEFAULTS;
  }

  /**
   * {@return a copy for certain capabilities}
   *
   * @param only what the context is for
   */
  public ContextAttributes withCapabilities(Capability... only) {
    return new ContextAttributes(Flag.maskOf(only), size);
  }

  /**
   * {@return a copy with another size}
   *
   * @param operations how many may be posted
   */
  public ContextAttributes withSize(int operations) {
    return new ContextAttributes(capabilities, operations);
  }
}
