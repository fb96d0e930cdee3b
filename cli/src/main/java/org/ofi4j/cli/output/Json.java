// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON document as it comes, so that a million elements need no memory. Not thread safe.
 *
 * <p>Calls that would make the document invalid, such as a value without a name in an object, throw
 * {@link IllegalStateException}.
 */
public final class Json {
  private enum Place {
    OBJECT,
    ARRAY
  }

  private final PrintWriter out;
  private final Deque<Place> open = new ArrayDeque<>();
  private boolean empty = true;
  private boolean named;
  private boolean ended;

  /**
   * A document.
   *
   * @param out takes the text
   */
  public Json(PrintWriter out) {
    this.out = out;
  }

  /**
   * Begins an object.
   *
   * @return this
   */
  public Json object() {
    return begin(Place.OBJECT, '{');
  }

  /**
   * Begins an array.
   *
   * @return this
   */
  public Json array() {
    return begin(Place.ARRAY, '[');
  }

  /**
   * Ends the innermost object or array. At the end of the document, ends the line too.
   *
   * @return this
   */
  public Json end() {
    if (named || open.isEmpty()) {
      throw new IllegalStateException("nothing to end here");
    }
    Place place = open.pop();
    if (!empty) {
      newLine();
    }
    out.print(place == Place.OBJECT ? '}' : ']');
    empty = false;
    finish();
    return this;
  }

  /**
   * Names the next value of an object.
   *
   * @param name the name
   * @return this
   */
  public Json name(String name) {
    if (named || open.peek() != Place.OBJECT) {
      throw new IllegalStateException("no place for the name " + name);
    }
    separate();
    quote(name);
    out.print(": ");
    named = true;
    return this;
  }

  /**
   * Writes text, or null.
   *
   * @param value the text
   * @return this
   */
  public Json value(@Nullable String value) {
    beginValue();
    if (value == null) {
      out.print("null");
    } else {
      quote(value);
    }
    finish();
    return this;
  }

  /**
   * Writes a whole number.
   *
   * @param value the number
   * @return this
   */
  public Json value(long value) {
    return literal(Long.toString(value));
  }

  /**
   * Writes a number. JSON has neither infinities nor not-a-number: those become null.
   *
   * @param value the number, written with at most three decimals
   * @return this
   */
  public Json value(double value) {
    return literal(
        Double.isFinite(value) ? Double.toString(Math.round(value * 1000) / 1000.0) : "null");
  }

  /**
   * Writes true or false.
   *
   * @param value which
   * @return this
   */
  public Json value(boolean value) {
    return literal(Boolean.toString(value));
  }

  /**
   * A name with text, or null.
   *
   * @param name the name
   * @param value the text
   * @return this
   */
  public Json field(String name, @Nullable String value) {
    return name(name).value(value);
  }

  /**
   * A name with a whole number.
   *
   * @param name the name
   * @param value the number
   * @return this
   */
  public Json field(String name, long value) {
    return name(name).value(value);
  }

  /**
   * A name with a number.
   *
   * @param name the name
   * @param value the number
   * @return this
   */
  public Json field(String name, double value) {
    return name(name).value(value);
  }

  /**
   * A name with true or false.
   *
   * @param name the name
   * @param value which
   * @return this
   */
  public Json field(String name, boolean value) {
    return name(name).value(value);
  }

  private Json literal(String text) {
    beginValue();
    out.print(text);
    finish();
    return this;
  }

  private Json begin(Place place, char bracket) {
    beginValue();
    open.push(place);
    out.print(bracket);
    empty = true;
    return this;
  }

  private void beginValue() {
    if (ended || (open.peek() == Place.OBJECT && !named)) {
      throw new IllegalStateException("no place for a value");
    }
    if (open.peek() == Place.ARRAY) {
      separate();
    }
    named = false;
  }

  private void separate() {
    if (!empty) {
      out.print(',');
    }
    empty = false;
    newLine();
  }

  private void newLine() {
    out.println();
    for (int i = 0; i < open.size(); i++) {
      out.print("  ");
    }
  }

  private void finish() {
    if (open.isEmpty()) {
      ended = true;
      out.println();
    }
  }

  private void quote(String text) {
    out.print('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.print("\\\"");
        case '\\' -> out.print("\\\\");
        case '\n' -> out.print("\\n");
        case '\r' -> out.print("\\r");
        case '\t' -> out.print("\\t");
        default -> {
          // Everything that is not plain ASCII is escaped, so the encoding of the stream does not
          // matter.
          if (c < ' ' || c > '~') {
            out.print(String.format("\\u%04x", (int) c));
          } else {
            out.print(c);
          }
        }
      }
    }
    out.print('"');
  }
}
