// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * {@code struct fi_av_set_attr}: what an {@link AddressVectorSet} begins with. There are no
 * communication keys here.
 *
 * @param count how many members are expected, 0 if that is not known; not fewer than it begins
 *     with, and no limit after that
 * @param start {@code start_addr}: the first entry, on a vector of type TABLE, or {@link
 *     Handles#NOT_AVAILABLE}
 * @param end {@code end_addr}: the last entry, inclusive, or {@link Handles#NOT_AVAILABLE}
 * @param stride from one member to the next, 1 for all; 0 without start and end
 * @param flags bits of {@link VectorSetFlag}
 * @param context returned by {@link FabricObject#context}
 */
public record VectorSetOptions(
    int count, long start, long end, long stride, long flags, @Nullable Object context) {
  private static final VectorSetOptions EMPTY =
      new VectorSetOptions(0, Handles.NOT_AVAILABLE, Handles.NOT_AVAILABLE, 0, 0, null);

  /** {@return options of an empty set} */
  public static VectorSetOptions empty() {
    return EMPTY;
  }

  /**
   * Entries of a vector of type TABLE. Unused indices are left out.
   *
   * @param start the first
   * @param end the last, inclusive
   * @param stride from one to the next, 1 for all of them
   * @return the options
   */
  public static VectorSetOptions range(long start, long end, long stride) {
    return new VectorSetOptions(0, start, end, stride, 0, null);
  }

  /** {@return options of a set of all entries that the vector has when the set is opened} */
  public static VectorSetOptions universe() {
    return EMPTY.withFlags(VectorSetFlag.UNIVERSE.mask());
  }

  /**
   * {@return a copy with another count}
   *
   * @param members how many are expected, 0 if that is not known
   */
  public VectorSetOptions withCount(int members) {
    return new VectorSetOptions(members, start, end, stride, flags, context);
  }

  /**
   * {@return a copy with other flags}
   *
   * @param mask bits of {@link VectorSetFlag}
   */
  public VectorSetOptions withFlags(long mask) {
    return new VectorSetOptions(count, start, end, stride, mask, context);
  }

  /**
   * {@return a copy with another context}
   *
   * @param object returned by {@link FabricObject#context}
   */
  public VectorSetOptions withContext(@Nullable Object object) {
    return new VectorSetOptions(count, start, end, stride, flags, object);
  }
}
