// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

/**
 * Unsigned numbers in address text: ASCII digits and nothing else, so that none has two readings.
 */
public final class Digits {
  private Digits() {}

  /**
   * Reads a decimal number without sign or leading zeros.
   *
   * @return the number, or -1 if the text is no such number or exceeds {@code max}
   */
  public static long decimal(String text, long max) {
    int length = text.length();
    // 18 digits always fit into a long.
    if (length == 0 || length > 18 || (length > 1 && text.charAt(0) == '0')) {
      return -1;
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value <= max ? value : -1;
  }

  /**
   * Whether the text is a hexadecimal number of at most {@code maxDigits} digits, which {@link
   * #hexadecimal} reads.
   */
  public static boolean isHexadecimal(String text, int maxDigits) {
    int length = text.length();
    if (length == 0 || length > maxDigits) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (hexadecimalDigit(text.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }

  public static long hexadecimal(String text) {
    long value = 0;
    for (int i = 0; i < text.length(); i++) {
      value = value << 4 | hexadecimalDigit(text.charAt(i));
    }
    return value;
  }

  private static int hexadecimalDigit(char character) {
    if (character >= '0' && character <= '9') {
      return character - '0';
    }
    // Sets the bit by which ASCII letters of both cases differ.
    int letter = character | 0x20;
    return character < 128 && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
