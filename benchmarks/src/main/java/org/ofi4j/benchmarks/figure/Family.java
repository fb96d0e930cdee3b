// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import org.ofi4j.AddressFormat;

/** Which addresses. */
public enum Family {
  IPV4(AddressFormat.SOCKADDR_IN, 16),
  IPV6(AddressFormat.SOCKADDR_IN6, 28);

  private final AddressFormat format;
  private final int length;

  Family(AddressFormat format, int length) {
    this.format = format;
    this.length = length;
  }

  public AddressFormat format() {
    return format;
  }

  /** The length of one packed address in bytes. */
  public int length() {
    return length;
  }
}
