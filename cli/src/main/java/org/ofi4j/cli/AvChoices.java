// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.List;
import java.util.Locale;
import org.ofi4j.AvType;
import org.ofi4j.DuplicatePolicy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What options of {@link AvCommand} choose between, in the words of the command line. */
final class AvChoices {
  private AvChoices() {}

  /** Types that a user may ask for. */
  enum VectorType {
    TABLE(AvType.TABLE),
    MAP(AvType.MAP);

    private final AvType type;

    VectorType(AvType type) {
      this.type = type;
    }

    AvType type() {
      return type;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** {@link DuplicatePolicy} as the command line spells it. */
  enum Duplicates {
    REJECT(DuplicatePolicy.REJECT),
    SHARE(DuplicatePolicy.SHARE),
    NEW_INDEX(DuplicatePolicy.NEW_INDEX);

    private final DuplicatePolicy policy;

    Duplicates(DuplicatePolicy policy) {
      this.policy = policy;
    }

    DuplicatePolicy policy() {
      return policy;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Knows a constant by the words of {@link #toString}, and says so when it does not. */
  abstract static class Words<E extends Enum<E>> implements ITypeConverter<E> {
    private final List<E> constants;

    Words(Class<E> type) {
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

  static final class VectorTypeWords extends Words<VectorType> {
    VectorTypeWords() {
      super(VectorType.class);
    }
  }

  static final class DuplicatesWords extends Words<Duplicates> {
    DuplicatesWords() {
      super(Duplicates.class);
    }
  }
}
