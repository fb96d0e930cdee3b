// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.io.CharConversionException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.PeerLineParser;

/**
 * A reader of lists of peers, such as {@code ofi4j av} takes. A list is text in UTF-8, perhaps
 * after a byte order mark, with a peer or a range of peers on each line:
 *
 * <pre>
 *   line    = [ peer ] [ "#" comment ]
 *   peer    = uri | node [ ":" service ]
 *   uri     = format "://" ...                 anything that FabricAddress.parse takes
 *   node    = IPv4 [ "x" count ]
 *           | "[" IPv6 "]" [ "x" count ]
 *           | name [ "[" digits "]" "x" count ]
 *   service = port [ "x" count ] | service name
 * </pre>
 *
 * <p>{@link #next} returns one line after another, malformed ones among them, and skips blank lines
 * and comments. The list is not kept in memory, so it may have any length:
 *
 * {@snippet class="examples.Vectors" region="peers"}
 *
 * <p>For one thread at a time.
 */
public final class PeerList implements Closeable {
  /** A line stands for at most this many peers, so that their outcome fits into memory. */
  public static final int MAX_PEERS = 1 << 24;

  /**
   * A line with more bytes is malformed. It is cut, so a list without line ends costs no memory.
   */
  public static final int MAX_LENGTH = 4096;

  /** The number of lines with control characters at which a list counts as binary. */
  private static final int MAX_BINARY_LINES = 10;

  /** U+FEFF in UTF-8. */
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  private final String source;
  private PeerLineParser parser;
  private final byte[] buffer = new byte[1 << 16];
  private final byte[] line = new byte[MAX_LENGTH + 1];
  private int position;
  private int limit;
  private boolean begun;
  private int binaryLines;
  private long linesRead;
  private long bytesRead;

  private PeerList(InputStream in, String source) {
    this.in = in;
    this.source = source;
    parser = new PeerLineParser(source, null);
  }

  /**
   * Opens a file; {@link #close} closes it.
   *
   * @param file the file, whose name malformed lines show
   * @return the list
   * @throws IOException if the file cannot be opened
   */
  public static PeerList open(Path file) throws IOException {
    Path present = Arguments.required(file, "file");
    return new PeerList(Files.newInputStream(present), present.toString());
  }

  /**
   * Reads from a stream, in large pieces, so the stream needs no buffer.
   *
   * @param in the stream; {@link #close} closes it
   * @param source the name of the list, which malformed lines show
   * @return the list
   */
  public static PeerList of(InputStream in, String source) {
    return new PeerList(Arguments.required(in, "in"), Arguments.required(source, "source"));
  }

  /**
   * Gives the lines that are still to be read a port or a service if they name none. Without this
   * call they are malformed.
   *
   * @param service the port or the service; null for none
   * @return this list
   */
  public PeerList defaultService(@Nullable String service) {
    parser = new PeerLineParser(source, service);
    return this;
  }

  /** {@return the number of lines read so far, blank lines and comments among them} */
  public long linesRead() {
    return linesRead;
  }

  /** {@return the number of bytes of the lines read so far} */
  public long bytesRead() {
    return bytesRead;
  }

  /**
   * Reads the next line that is neither blank nor a comment.
   *
   * @return the line, or null at the end of the list
   * @throws IOException if the list cannot be read, is in UTF-16, or is binary: the tenth line with
   *     control characters ends it; the message names the source
   */
  public @Nullable PeerLine next() throws IOException {
    while (true) {
      String text = nextText();
      if (text == null) {
        return null;
      }
      linesRead++;
      requireText(text);
      PeerLine parsed = parser.parse(linesRead, text);
      if (parsed != null) {
        return parsed;
      }
    }
  }

  /** Throws if the list is binary, so that none of its later lines is taken for a name. */
  private void requireText(String text) throws IOException {
    if (text.chars().anyMatch(PeerList::isBinary) && ++binaryLines == MAX_BINARY_LINES) {
      throw new IOException(
          source
              + " is no list of peers but a binary file: "
              + MAX_BINARY_LINES
              + " lines have control characters; give a list in UTF-8");
    }
  }

  /** Whether a character is in no text: a control character that neither spaces nor colours it. */
  private static boolean isBinary(int c) {
    return c < ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\u001B';
  }

  /** The source, and the number of lines read so far. */
  @Override
  public String toString() {
    return Printable.line("peer list " + source + ", " + linesRead + " lines read");
  }

  /** Closes the file or the stream. */
  @Override
  public void close() throws IOException {
    in.close();
  }

  /** Reads the next line without its end; null at the end of the list. */
  private @Nullable String nextText() throws IOException {
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
      bytesRead += end - position;
      position = end;
      if (position < limit) {
        position++;
        bytesRead++;
        return text(length);
      }
    }
  }

  /** Skips a byte order mark of UTF-8, which editors put there and do not show. */
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
      bytesRead = MARK.length;
    }
    if (limit >= 2 && isUtf16(buffer[0] & 0xFF, buffer[1] & 0xFF)) {
      throw new CharConversionException(
          source
              + " is in UTF-16, and lists are in UTF-8: convert it with iconv -f UTF-16 -t UTF-8");
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
