// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * How much memory a vector takes outside of the heap: for entries, reverse lookup, free indices and
 * side data. User ids are on the heap and are not counted. Immutable, and equal to another one with
 * equal values.
 */
public final class MemoryUse {
  private final Values values;

  private MemoryUse(Values values) {
    this.values = values.copy();
  }

  /** {@return a builder of a use of memory, for providers; all 0} */
  public static Builder builder() {
    return new Builder(new Values());
  }

  /** {@return bytes that the present entries need} */
  public long live() {
    return values.live;
  }

  /** {@return bytes reserved from the system, including {@link #live} and room to grow} */
  public long held() {
    return values.held;
  }

  /**
   * {@return bytes within {@link #live} for counts above one and other data that few entries have}
   */
  public long side() {
    return values.side;
  }

  /**
   * {@return live bytes for each entry, 0 when there is none}
   *
   * @param entries how many entries there are
   */
  public double livePerPeer(long entries) {
    return entries == 0 ? 0 : (double) live() / entries;
  }

  /**
   * {@return held bytes for each entry, 0 when there is none}
   *
   * @param entries how many entries there are
   */
  public double heldPerPeer(long entries) {
    return entries == 0 ? 0 : (double) held() / entries;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MemoryUse that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("MemoryUse");
  }

  /** Builds a use of memory. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link MemoryUse#live}.
     *
     * @param live the bytes
     * @return this
     */
    public Builder live(long live) {
      values.live = live;
      return this;
    }

    /**
     * Sets {@link MemoryUse#held}.
     *
     * @param held the bytes
     * @return this
     */
    public Builder held(long held) {
      values.held = held;
      return this;
    }

    /**
     * Sets {@link MemoryUse#side}.
     *
     * @param side the bytes
     * @return this
     */
    public Builder side(long side) {
      values.side = side;
      return this;
    }

    /** {@return a use of memory with the values that were set; the builder may build more} */
    public MemoryUse build() {
      return new MemoryUse(values);
    }

    /** Returns a use of memory with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    long live;
    long held;
    long side;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("live", live);
      to.put("held", held);
      to.put("side", side);
    }
  }
}
