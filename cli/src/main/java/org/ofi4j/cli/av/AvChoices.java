// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.Locale;
import org.ofi4j.AvType;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.cli.output.EnumWords;

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

  static final class VectorTypeWords extends EnumWords<VectorType> {
    VectorTypeWords() {
      super(VectorType.class);
    }
  }

  static final class DuplicatesWords extends EnumWords<Duplicates> {
    DuplicatesWords() {
      super(Duplicates.class);
    }
  }
}
