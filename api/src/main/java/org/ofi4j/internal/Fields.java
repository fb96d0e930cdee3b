// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an immutable object of the API. A builder or a method that makes a changed copy
 * writes them; as soon as an object holds them, in a final field, they are no longer written. A
 * class of the API lists its fields here once, for its text, its equality and its hash code.
 *
 * @param <F> the class of the fields
 */
public abstract class Fields<F extends Fields<F>> implements Cloneable {
  /**
   * Adds the name and the value of each field, in the order of the text. Bytes are added as text,
   * flags by their names; an object that holds a secret does not show it in its own text.
   */
  protected abstract void list(Map<String, @Nullable Object> to);

  /** Returns a copy that may be changed. */
  @SuppressWarnings("unchecked")
  public final F copy() {
    try {
      return (F) clone();
    } catch (CloneNotSupportedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Returns the values by their names: equal if two objects are. */
  public final Map<String, @Nullable Object> all() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    list(all);
    return all;
  }

  /** Returns all fields of a type as text. */
  public final String text(String type) {
    return joined(type, all());
  }

  /**
   * Returns the fields of a type whose values differ from others, which are by their names, as
   * text.
   */
  public final String text(String type, Map<String, @Nullable Object> others) {
    Map<String, @Nullable Object> shown = all();
    shown
        .entrySet()
        .removeIf(field -> Objects.equals(field.getValue(), others.get(field.getKey())));
    return joined(type, shown);
  }

  private static String joined(String type, Map<String, @Nullable Object> shown) {
    return shown.entrySet().stream()
        .map(field -> field.getKey() + "=" + field.getValue())
        .collect(Collectors.joining(", ", type + "[", "]"));
  }
}
