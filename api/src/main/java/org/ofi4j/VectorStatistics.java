// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * What an address vector holds, and how often it was changed: {@link AddressVector#statistics}.
 *
 * <p>What it holds is the same for all processes that share a vector by its {@linkplain
 * VectorOptions#name name}. Changes are those made through this one {@link AddressVector} since it
 * was opened.
 *
 * <p>Immutable, and equal to another one with equal values.
 */
public final class VectorStatistics {
  private final Values values;

  private VectorStatistics(Values values) {
    this.values = values.copy();
  }

  /** {@return a builder of statistics, for providers; all 0} */
  public static Builder builder() {
    return new Builder(new Values());
  }

  /** {@return a builder of a copy, with the values of this object} */
  public Builder toBuilder() {
    return new Builder(values.copy());
  }

  /** {@return how many entries there are} */
  public long entries() {
    return values.entries;
  }

  /** {@return how many entries fit before more memory is taken, at least {@link #entries}} */
  public long capacity() {
    return values.capacity;
  }

  /** {@return the most entries that there ever were at one time, at least {@link #entries}} */
  public long highWaterMark() {
    return values.highWaterMark;
  }

  /** {@return the memory that the vector takes} */
  public MemoryUse memory() {
    return values.memory;
  }

  /**
   * {@return addresses that were inserted, those too that share an entry which was there already;
   * of an asynchronous insertion as soon as all of it has ended}
   */
  public long insertions() {
    return values.insertions;
  }

  /** {@return addresses that could not be inserted, in calls that went through} */
  public long failedInsertions() {
    return values.failedInsertions;
  }

  /** {@return entries, or shares of entries, that were removed} */
  public long removals() {
    return values.removals;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof VectorStatistics that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("VectorStatistics");
  }

  /** Builds statistics of a vector. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link VectorStatistics#entries}.
     *
     * @param entries the number
     * @return this
     */
    public Builder entries(long entries) {
      values.entries = entries;
      return this;
    }

    /**
     * Sets {@link VectorStatistics#capacity}.
     *
     * @param capacity the number
     * @return this
     */
    public Builder capacity(long capacity) {
      values.capacity = capacity;
      return this;
    }

    /**
     * Sets {@link VectorStatistics#highWaterMark}.
     *
     * @param highWaterMark the number
     * @return this
     */
    public Builder highWaterMark(long highWaterMark) {
      values.highWaterMark = highWaterMark;
      return this;
    }

    /**
     * Sets {@link VectorStatistics#memory}.
     *
     * @param memory the memory
     * @return this
     */
    public Builder memory(MemoryUse memory) {
      values.memory = Arguments.required(memory, "memory");
      return this;
    }

    /**
     * Sets {@link VectorStatistics#insertions}.
     *
     * @param insertions the number
     * @return this
     */
    public Builder insertions(long insertions) {
      values.insertions = insertions;
      return this;
    }

    /**
     * Sets {@link VectorStatistics#failedInsertions}.
     *
     * @param failedInsertions the number
     * @return this
     */
    public Builder failedInsertions(long failedInsertions) {
      values.failedInsertions = failedInsertions;
      return this;
    }

    /**
     * Sets {@link VectorStatistics#removals}.
     *
     * @param removals the number
     * @return this
     */
    public Builder removals(long removals) {
      values.removals = removals;
      return this;
    }

    /**
     * {@return statistics of a vector with the values that were set; the builder may build more}
     */
    public VectorStatistics build() {
      return new VectorStatistics(values);
    }

    /** Returns statistics of a vector with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    long entries;
    long capacity;
    long highWaterMark;
    MemoryUse memory = MemoryUse.builder().build();
    long insertions;
    long failedInsertions;
    long removals;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("entries", entries);
      to.put("capacity", capacity);
      to.put("highWaterMark", highWaterMark);
      to.put("memory", memory);
      to.put("insertions", insertions);
      to.put("failedInsertions", failedInsertions);
      to.put("removals", removals);
    }
  }
}
