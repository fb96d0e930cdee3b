// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of UTF-8. A line that is too long is cut, so that input without line ends costs no
 * memory. For one thread.
 */
final class LineReader {
  /** Longer lines are cut to one byte more than this, by which they are known. */
  static final int MAX_LENGTH = 4096;

  /** U+FEFF in UTF-8. */
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private final byte[] line = new byte[MAX_LENGTH + 1];
  private int position;
  private int limit;
  private boolean begun;
  private long consumed;

  LineReader(InputStream in) {
    this.in = in;
  }

  /** How many bytes the lines so far took. */
  long consumed() {
    return consumed;
  }

  /** The next line without its end, or null when there is none. */
  @Nullable String next() throws IOException {
    int length = 0;
    boolean any = false;
    while (true) {
      if (!begun) {
        begin();
      }
      if (position == limit && !fill()) {
        return any ? text(length) : null;
      }
      any = true;
      int end = position;
      while (end < limit && buffer[end] != '\n') {
        end++;
      }
      int part = Math.min(end - position, line.length - length);
      System.arraycopy(buffer, position, line, length, part);
      length += part;
      consumed += end - position;
      position = end;
      if (position < limit) {
        position++;
        consumed++;
        return text(length);
      }
    }
  }

  /** Skips a byte order mark of UTF-8, which editors put there and nobody sees. */
  private void begin() throws IOException {
    begun = true;
    // Waits for more only while the bytes may yet become a mark.
    while (limit < MARK.length && (isMark(limit) || (limit == 1 && (buffer[0] & 0xFF) >= 0xFE))) {
      int count = in.read(buffer, limit, buffer.length - limit);
      if (count < 0) {
        break;
      }
      limit += count;
    }
    if (limit >= MARK.length && isMark(MARK.length)) {
      position = MARK.length;
      consumed = MARK.length;
    }
    if (limit >= 2 && isUtf16(buffer[0] & 0xFF, buffer[1] & 0xFF)) {
      throw new CharConversionException(
          "is in UTF-16, and lists are in UTF-8: convert it with iconv -f UTF-16 -t UTF-8");
    }
  }

  /** Whether two bytes are U+FEFF in one of the byte orders of UTF-16. */
  private static boolean isUtf16(int first, int second) {
    return (first == 0xFF && second == 0xFE) || (first == 0xFE && second == 0xFF);
  }

  /** Whether the first bytes are those of the mark. */
  private boolean isMark(int length) {
    return Arrays.equals(buffer, 0, length, MARK, 0, length);
  }

  private boolean fill() throws IOException {
    position = 0;
    limit = Math.max(0, in.read(buffer, 0, buffer.length));
    return limit > 0;
  }

  private String text(int length) {
    int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
    return new String(line, 0, end, StandardCharsets.UTF_8);
  }
}
