// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Knows a constant by the words of {@link #toString}, and says so when it does not. */
public abstract class EnumWords<E extends Enum<E>> implements ITypeConverter<E> {
  private final List<E> constants;

  protected EnumWords(Class<E> type) {
    constants = List.of(type.getEnumConstants());
  }

  @Override
  public E convert(String value) {
    for (E constant : constants) {
      if (constant.toString().equalsIgnoreCase(value)) {
        return constant;
      }
    }
    throw new TypeConversionException("\"" + value + "\" is none of " + constants);
  }
}
