// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.HexFormat;

/**
 * Text of others, made fit to be shown: what a terminal would obey becomes visible. Messages of
 * exceptions and of failed addresses are made so; names and reasons that a program prints by itself
 * are as they came. Any thread may call.
 */
public final class Printable {
  private Printable() {}

  /**
   * Text for one line.
   *
   * @param text any text, such as a line of a file
   * @return the text, with a visible escape such as a backslash and {@code u001b} for everything
   *     that is no printable character: control and format characters, ends of lines, lone
   *     surrogates
   */
  public static String line(String text) {
    return escape(text, false);
  }

  /**
   * Text of several lines.
   *
   * @param text any text
   * @return the text, escaped as a single line is, but for the ends of its lines
   */
  public static String lines(String text) {
    return escape(text, true);
  }

  private static String escape(String text, boolean keepLines) {
    int length = text.length();
    int at = 0;
    while (at < length && text.charAt(at) >= ' ' && text.charAt(at) <= '~') {
      at++;
    }
    if (at == length) {
      return text;
    }
    StringBuilder shown = new StringBuilder(length + 16).append(text, 0, at);
    while (at < length) {
      int character = text.codePointAt(at);
      if (isPrintable(character) || (keepLines && (character == '\n' || character == '\r'))) {
        shown.appendCodePoint(character);
      } else {
        for (char unit : Character.toChars(character)) {
          shown.append("\\u").append(HexFormat.of().toHexDigits(unit));
        }
      }
      at += Character.charCount(character);
    }
    return shown.toString();
  }

  private static boolean isPrintable(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
