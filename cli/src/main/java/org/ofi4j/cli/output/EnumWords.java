// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Knows constants by their words on the command line, and says which there are. */
public abstract class EnumWords<E extends Enum<E>> implements ITypeConverter<E>, Iterable<String> {
  private final List<E> constants;

  protected EnumWords(List<E> constants) {
    this.constants = constants;
  }

  /** The name of a constant as the command line spells it, such as {@code new-index}. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public E convert(String value) {
    for (E constant : constants) {
      if (of(constant).equalsIgnoreCase(value)) {
        return constant;
      }
    }
    throw new TypeConversionException("\"" + value + "\" is none of " + words());
  }

  @Override
  public Iterator<String> iterator() {
    return words().iterator();
  }

  private List<String> words() {
    return constants.stream().map(EnumWords::of).toList();
  }
}
