// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * The length of messages and the number of operations that are needed, as {@link Hints} name them.
 * 0 takes what a provider has. Providers refuse more than they have, and negative numbers.
 * Immutable; each {@code with} method returns a changed copy.
 */
public final class Limits {
  private static final Limits NONE = new Limits(new Values());

  private final Values values;

  private Limits(Values values) {
    this.values = values;
  }

  /** {@return limits that say nothing} */
  public static Limits none() {
    return NONE;
  }

  /** {@return the length of the longest message, 0 for that of the provider} */
  public long maxMessageSize() {
    return values.maxMessageSize;
  }

  /**
   * {@return a copy with another length of the longest message}
   *
   * @param bytes {@code max_msg_size}
   */
  public Limits withMaxMessageSize(long bytes) {
    return with(copy -> copy.maxMessageSize = bytes);
  }

  /** {@return the length of the longest injected message, 0 for that of the provider} */
  public long injectSize() {
    return values.injectSize;
  }

  /**
   * {@return a copy with another length of the longest injected message}
   *
   * @param bytes {@code inject_size}
   */
  public Limits withInjectSize(long bytes) {
    return with(copy -> copy.injectSize = bytes);
  }

  /** {@return the number of sends posted at a time, 0 for that of the provider} */
  public int transmitSize() {
    return values.transmitSize;
  }

  /**
   * {@return a copy with another number of sends posted at a time}
   *
   * @param operations {@code tx_attr.size}
   */
  public Limits withTransmitSize(int operations) {
    return with(copy -> copy.transmitSize = operations);
  }

  /** {@return the number of receives posted at a time, 0 for that of the provider} */
  public int receiveSize() {
    return values.receiveSize;
  }

  /**
   * {@return a copy with another number of receives posted at a time}
   *
   * @param operations {@code rx_attr.size}
   */
  public Limits withReceiveSize(int operations) {
    return with(copy -> copy.receiveSize = operations);
  }

  private Limits with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new Limits(copy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Limits options && options.values.all().equals(values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("Limits", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private long maxMessageSize;
    private long injectSize;
    private int transmitSize;
    private int receiveSize;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("maxMessageSize", maxMessageSize);
      to.put("injectSize", injectSize);
      to.put("transmitSize", transmitSize);
      to.put("receiveSize", receiveSize);
    }
  }
}
