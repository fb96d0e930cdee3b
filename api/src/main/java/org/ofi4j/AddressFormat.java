// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * {@code enum fi_addr_format}: how an address is laid out. The numbers never changed between
 * releases.
 */
public enum AddressFormat {
  /** {@code FI_FORMAT_UNSPEC}: not said. */
  UNSPECIFIED(0),
  /** {@code FI_SOCKADDR}: any socket address, by its family. */
  SOCKADDR(1),
  /** {@code FI_SOCKADDR_IN}: IPv4, 16 bytes. */
  SOCKADDR_IN(2),
  /** {@code FI_SOCKADDR_IN6}: IPv6, 28 bytes. */
  SOCKADDR_IN6(3),
  /** {@code FI_SOCKADDR_IB}: InfiniBand, 48 bytes. */
  SOCKADDR_IB(4),
  /** {@code FI_ADDR_PSMX}. */
  PSMX(5),
  /** {@code FI_ADDR_GNI}. */
  GNI(6),
  /** {@code FI_ADDR_BGQ}. */
  BGQ(7),
  /** {@code FI_ADDR_MLX}. */
  MLX(8),
  /** {@code FI_ADDR_STR}: text. */
  STR(9),
  /** {@code FI_ADDR_PSMX2}. */
  PSMX2(10),
  /** {@code FI_ADDR_IB_UD}. */
  IB_UD(11),
  /** {@code FI_ADDR_EFA}. */
  EFA(12),
  /** {@code FI_ADDR_PSMX3}. */
  PSMX3(13),
  /** {@code FI_ADDR_OPX}. */
  OPX(14),
  /** {@code FI_ADDR_CXI}. */
  CXI(15),
  /** {@code FI_ADDR_UCX}. */
  UCX(16),
  /** {@code FI_SOCKADDR_IP}: IPv4 or IPv6, by its family (from 2.3). */
  SOCKADDR_IP(17);

  private final int number;

  AddressFormat(int number) {
    this.number = number;
  }

  /** {@return the number in {@code rdma/fabric.h}, 0 to 17} */
  public int number() {
    return number;
  }

  /**
   * {@return the format of a number, or null if this library does not know it}
   *
   * @param number a number from {@code rdma/fabric.h}
   */
  public static @Nullable AddressFormat of(int number) {
    for (AddressFormat format : values()) {
      if (format.number == number) {
        return format;
      }
    }
    return null;
  }

  /**
   * {@return whether an interface of one format serves a request for the other: equal ones do,
   * {@link #UNSPECIFIED} serves all, and the socket address formats serve those that contain them}
   *
   * @param other the other format
   */
  public boolean isCompatibleWith(AddressFormat other) {
    return this == other
        || this == UNSPECIFIED
        || other == UNSPECIFIED
        || contains(other)
        || other.contains(this);
  }

  /**
   * {@return whether every address of the other format is one of this format too}
   *
   * @param other the other format
   */
  public boolean contains(AddressFormat other) {
    return switch (this) {
      case SOCKADDR ->
          other == SOCKADDR
              || other == SOCKADDR_IP
              || other == SOCKADDR_IN
              || other == SOCKADDR_IN6
              || other == SOCKADDR_IB;
      case SOCKADDR_IP -> other == SOCKADDR_IP || other == SOCKADDR_IN || other == SOCKADDR_IN6;
      default -> this == other;
    };
  }
}
