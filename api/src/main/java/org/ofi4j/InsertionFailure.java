// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * One address that could not be inserted. Immutable, and equal to another one with equal values.
 */
public final class InsertionFailure {
  private final Values values;

  private InsertionFailure(Values values) {
    this.values = values;
  }

  /**
   * Returns a failure, for providers.
   *
   * @param position its place in the call, from 0
   * @param address the address as text, as far as it could be read
   * @param errno why, as {@code FI_SYNC_ERR} and event queues report it
   * @param reason why, in words
   * @return the failure
   */
  public static InsertionFailure of(int position, String address, Errno errno, String reason) {
    return new InsertionFailure(
        new Values(
            position,
            Arguments.required(address, "address"),
            Arguments.required(errno, "errno"),
            Arguments.required(reason, "reason")));
  }

  /** {@return its place in the call, from 0} */
  public int position() {
    return values.position;
  }

  /** {@return the address as text, as far as it could be read} */
  public String address() {
    return values.address;
  }

  /** {@return why, as {@code FI_SYNC_ERR} and event queues report it} */
  public Errno errno() {
    return values.errno;
  }

  /** {@return why, in words} */
  public String reason() {
    return values.reason;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InsertionFailure that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the position, the address and the reason, in one line. */
  @Override
  public String toString() {
    return Printable.line("address " + position() + " \"" + address() + "\": " + reason());
  }

  private record Values(int position, String address, Errno errno, String reason) {}
}
