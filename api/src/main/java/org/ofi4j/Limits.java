// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * How long messages are, and how many operations are under way, as {@link Hints} say it. Where it
 * is 0, what a provider has is enough. Providers refuse what is more than they have, or negative.
 *
 * @param maxMessageSize {@code max_msg_size}: the longest message in bytes
 * @param injectSize {@code inject_size}: the longest injected message in bytes
 * @param transmitSize {@code tx_attr.size}: sends posted at a time
 * @param receiveSize {@code rx_attr.size}: receives posted at a time
 */
public record Limits(long maxMessageSize, long injectSize, int transmitSize, int receiveSize) {
  private static final Limits NONE = new Limits(0, 0, 0, 0);

  /** {@return limits that say nothing} */
  public static Limits none() {
    return NONE;
  }

  /**
   * {@return a copy with another longest message}
   *
   * @param bytes how long it is
   */
  public Limits withMaxMessageSize(long bytes) {
    return new Limits(bytes, injectSize, transmitSize, receiveSize);
  }

  /**
   * {@return a copy with another longest injected message}
   *
   * @param bytes how long it is
   */
  public Limits withInjectSize(long bytes) {
    return new Limits(maxMessageSize, bytes, transmitSize, receiveSize);
  }

  /**
   * {@return a copy with another number of sends}
   *
   * @param operations how many are posted at a time
   */
  public Limits withTransmitSize(int operations) {
    return new Limits(maxMessageSize, injectSize, operations, receiveSize);
  }

  /**
   * {@return a copy with another number of receives}
   *
   * @param operations how many are posted at a time
   */
  public Limits withReceiveSize(int operations) {
    return new Limits(maxMessageSize, injectSize, transmitSize, operations);
  }
}
