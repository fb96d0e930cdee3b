package org.ofi4j.cli.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of UTF-8. A line that is too long is cut, so that input without line ends costs no
 * memory. For one thread.
 */
final class LineReader {
  /** Longer lines are cut to one byte more than this, by which they are known. */
  static final int MAX_LENGTH = 4096;

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private final byte[] line = new byte[MAX_LENGTH + 1];
  private int position;
  private int limit;
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
