// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON as RFC 8259 has it, and nothing more lenient: what tests hold the output against. */
public final class JsonReader {
  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /** A value: a map, list, string, number, boolean or null, with shortcuts for tests. */
  public record Value(@Nullable Object value) {
    public Value get(String name) {
      if (!(value instanceof Map<?, ?> map) || !map.containsKey(name)) {
        throw new AssertionError("no field " + name + " in " + value);
      }
      return new Value(map.get(name));
    }

    public boolean has(String name) {
      return value instanceof Map<?, ?> map && map.containsKey(name);
    }

    public List<Value> list() {
      if (!(value instanceof List<?> list)) {
        throw new AssertionError("no array: " + value);
      }
      List<Value> values = new ArrayList<>();
      list.forEach(each -> values.add(new Value(each)));
      return values;
    }

    public String text() {
      return String.valueOf(value);
    }

    public double number() {
      if (!(value instanceof Double number)) {
        throw new AssertionError("no number: " + value);
      }
      return number;
    }

    public boolean isTrue() {
      return Boolean.TRUE.equals(value);
    }

    public boolean isNull() {
      return value == null;
    }
  }

  public static Value read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.blank();
    if (reader.at != text.length()) {
      throw reader.wrong("something behind the document");
    }
    return new Value(value);
  }

  private @Nullable Object value() {
    blank();
    char c = peek();
    return switch (c) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> literal("true", Boolean.TRUE);
      case 'f' -> literal("false", Boolean.FALSE);
      case 'n' -> literal("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    expect('{');
    blank();
    if (peek() == '}') {
      at++;
      return map;
    }
    while (true) {
      blank();
      String name = string();
      blank();
      expect(':');
      if (map.containsKey(name)) {
        throw wrong("field " + name + " twice");
      }
      map.put(name, value());
      blank();
      if (peek() == '}') {
        at++;
        return map;
      }
      expect(',');
    }
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> list = new ArrayList<>();
    expect('[');
    blank();
    if (peek() == ']') {
      at++;
      return list;
    }
    while (true) {
      list.add(value());
      blank();
      if (peek() == ']') {
        at++;
        return list;
      }
      expect(',');
    }
  }

  private String string() {
    expect('"');
    StringBuilder result = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') {
        return result.toString();
      }
      if (c < ' ') {
        throw wrong("a control character in a string");
      }
      if (c != '\\') {
        result.append(c);
        continue;
      }
      switch (next()) {
        case '"' -> result.append('"');
        case '\\' -> result.append('\\');
        case '/' -> result.append('/');
        case 'b' -> result.append('\b');
        case 'f' -> result.append('\f');
        case 'n' -> result.append('\n');
        case 'r' -> result.append('\r');
        case 't' -> result.append('\t');
        case 'u' -> {
          result.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        default -> throw wrong("an unknown escape");
      }
    }
  }

  private Double number() {
    int begin = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(begin, at);
    if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
      throw wrong("no number: " + digits);
    }
    return Double.valueOf(digits);
  }

  private @Nullable Object literal(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong("no literal");
    }
    at += word.length();
    return value;
  }

  private void blank() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("the document ends too early");
    }
    return text.charAt(at);
  }

  private char next() {
    char c = peek();
    at++;
    return c;
  }

  private void expect(char expected) {
    if (next() != expected) {
      throw wrong("no " + expected);
    }
  }

  private AssertionError wrong(String what) {
    return new AssertionError(
        what
            + " at "
            + at
            + ": "
            + text.substring(Math.max(0, at - 40), Math.min(text.length(), at + 20)));
  }
}
