// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

/** IPv4 addresses in the dotted form, as {@code inet_pton} and {@code inet_ntop} know it. */
public final class Ipv4Text {
  private static final int OCTETS = 4;

  private Ipv4Text() {}

  /**
   * Reads four decimal octets without leading zeros; short, octal and hexadecimal forms do not
   * count.
   *
   * @return the address as an unsigned number, or -1 if the text is no such address
   */
  public static long parse(String text) {
    long address = 0;
    int position = 0;
    for (int octet = 0; octet < OCTETS; octet++) {
      int end = octet < OCTETS - 1 ? text.indexOf('.', position) : text.length();
      long value = end < 0 ? -1 : Digits.decimal(text.substring(position, end), 255);
      if (value < 0) {
        return -1;
      }
      address = address << 8 | value;
      position = end + 1;
    }
    return address;
  }

  public static String print(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 0xFF)
        + "."
        + (address >>> 8 & 0xFF)
        + "."
        + (address & 0xFF);
  }
}
