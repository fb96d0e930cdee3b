// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.StringJoiner;
import org.ofi4j.internal.Arguments;

/**
 * One bit of a flags argument. libfabric gives the same bit different meanings in different calls,
 * so each family of calls has an enumeration of its own; calls take them added up in a {@code
 * long}.
 */
public sealed interface Flag
    permits Access,
        VectorFlag,
        VectorSetFlag,
        Capability,
        CompletionFlag,
        CounterFlag,
        InsertFlag,
        MemoryRegionMode,
        RemoveFlag,
        TransferFlag {
  /** {@return the flag as the number that calls take, one bit} */
  long mask();

  /**
   * Several flags of one family in one number.
   *
   * @param flags the flags
   * @param <F> their family
   * @return their bits, 0 for none
   * @throws FabricException with {@link Errno#EINVAL} if one is null
   */
  @SafeVarargs
  static <F extends Enum<F> & Flag> long maskOf(F... flags) {
    long mask = 0;
    for (F flag : Arguments.required(flags, "flags")) {
      mask |= Arguments.required(flag, "element of flags").mask();
    }
    return mask;
  }

  /**
   * Names the flags in a number, for people.
   *
   * @param family the family that the number is of
   * @param mask the number
   * @param <F> the family
   * @return the names with {@code |} between them, then bits without a name in hexadecimal; 0 for
   *     no flag
   */
  static <F extends Enum<F> & Flag> String names(Class<F> family, long mask) {
    StringJoiner names = new StringJoiner("|");
    long rest = mask;
    for (F flag : family.getEnumConstants()) {
      if ((mask & flag.mask()) != 0) {
        names.add(flag.name());
        rest &= ~flag.mask();
      }
    }
    if (rest != 0) {
      names.add("0x" + Long.toHexString(rest));
    }
    return mask == 0 ? "0" : names.toString();
  }
}
