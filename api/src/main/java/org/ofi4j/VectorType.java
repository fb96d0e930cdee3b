// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** {@code enum fi_av_type}: how an application sees the entries of an address vector. */
public enum VectorType {
  /**
   * {@code FI_AV_UNSPEC}: the provider chooses; ofi4j chooses the type that the domain was opened
   * for, else {@link #TABLE}.
   */
  UNSPECIFIED(0),
  /**
   * {@code FI_AV_MAP}: handles are opaque and must be kept. From API version 2.0 the man page
   * discourages it, and handles are indices as in a {@link #TABLE}.
   */
  MAP(1),
  /** {@code FI_AV_TABLE}: the handle of an entry is its index. */
  TABLE(2);

  private final int number;

  VectorType(int number) {
    this.number = number;
  }

  /**
   * The constant of a number.
   *
   * @param number the number in {@code rdma/fi_domain.h}
   * @return the type
   * @throws FabricException with {@link Errno#EINVAL} if no type has that number
   */
  public static VectorType of(int number) {
    return switch (number) {
      case 0 -> UNSPECIFIED;
      case 1 -> MAP;
      case 2 -> TABLE;
      default ->
          throw new FabricException(
              Errno.EINVAL, "address vector type " + number + " does not exist: use 0, 1 or 2");
    };
  }

  /** {@return the number in {@code rdma/fi_domain.h}: 0, 1 or 2} */
  public int number() {
    return number;
  }
}
