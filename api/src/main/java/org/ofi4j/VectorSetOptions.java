// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * {@code struct fi_av_set_attr}: the entries that an {@link AddressVectorSet} begins with. There
 * are no communication keys here. Immutable; each {@code with} method returns a changed copy.
 */
public final class VectorSetOptions {
  private static final VectorSetOptions EMPTY = new VectorSetOptions(new Values());

  private final Values values;

  private VectorSetOptions(Values values) {
    this.values = values;
  }

  /** {@return options of an empty set} */
  public static VectorSetOptions empty() {
    return EMPTY;
  }

  /**
   * {@return options of a set of entries of a vector of type TABLE} Unused indices are left out.
   *
   * @param start {@code start_addr}: the first
   * @param end {@code end_addr}: the last, inclusive
   * @see #withStride
   */
  public static VectorSetOptions range(long start, long end) {
    return EMPTY.with(copy -> {
      copy.start = start;
      copy.end = end;
      copy.stride = 1;
    });
  }

  /** {@return options of a set of all entries that the vector has when the set is opened} */
  public static VectorSetOptions universe() {
    return EMPTY.withFlags(VectorSetFlag.UNIVERSE);
  }

  /** {@return the expected number of members, 0 if unknown} */
  public int count() {
    return values.count;
  }

  /**
   * {@return a copy that expects another number of members}
   *
   * @param members not fewer than the set begins with, and no limit after that; 0 if unknown
   */
  public VectorSetOptions withCount(int members) {
    return with(copy -> copy.count = members);
  }

  /** {@return the first entry of a range, or {@link Handles#NOT_AVAILABLE}} */
  public long start() {
    return values.start;
  }

  /** {@return the last entry of a range, inclusive, or {@link Handles#NOT_AVAILABLE}} */
  public long end() {
    return values.end;
  }

  /** {@return the step from one member of a range to the next, 0 without a range} */
  public long stride() {
    return values.stride;
  }

  /**
   * {@return a copy with another step}
   *
   * @param stride {@code stride}: from one member of a range to the next, 1 for all of them
   */
  public VectorSetOptions withStride(long stride) {
    return with(copy -> copy.stride = stride);
  }

  /** {@return bits of {@link VectorSetFlag}} */
  public long flags() {
    return values.flags;
  }

  /**
   * {@return a copy with these flags alone}
   *
   * @param flags what the set begins with
   */
  public VectorSetOptions withFlags(VectorSetFlag... flags) {
    return withFlags(Flag.maskOf(flags));
  }

  /**
   * {@return a copy with these flags alone, as the C structure has them}
   *
   * @param flags bits of {@link VectorSetFlag}
   */
  public VectorSetOptions withFlags(long flags) {
    return with(copy -> copy.flags = flags);
  }

  /** {@return the set's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public VectorSetOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private VectorSetOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new VectorSetOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #empty}} */
  @Override
  public String toString() {
    return values.text("VectorSetOptions", EMPTY.values.all());
  }

  private static final class Values extends Fields<Values> {
    private int count;
    private long start = Handles.NOT_AVAILABLE;
    private long end = Handles.NOT_AVAILABLE;
    private long stride;
    private long flags;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("count", count);
      to.put("start", start);
      to.put("end", end);
      to.put("stride", stride);
      to.put("flags", Flag.names(VectorSetFlag.class, flags));
      to.put("context", context);
    }
  }
}
