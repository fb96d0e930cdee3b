// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * How full a queue is, and what went through it since it was opened: {@link
 * CompletionQueue#statistics}, {@link EventQueue#statistics}. Immutable, and equal to another one
 * with equal values.
 */
public final class QueueStatistics {
  private final Values values;

  private QueueStatistics(Values values) {
    this.values = values.copy();
  }

  /** {@return a builder of statistics, for providers; all 0} */
  public static Builder builder() {
    return new Builder(new Values());
  }

  /**
   * {@return how many completions or events the queue holds at most; of an event queue, events that
   * end a call of the application find room all the same}
   */
  public long size() {
    return values.size;
  }

  /** {@return how many wait to be read} */
  public long waiting() {
    return values.waiting;
  }

  /** {@return how many there were} */
  public long reported() {
    return values.reported;
  }

  /**
   * {@return how many events were lost because the queue was full; always 0 for completions, whose
   * operations wait for room}
   */
  public long lost() {
    return values.lost;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QueueStatistics that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("QueueStatistics");
  }

  /** Builds statistics of a queue. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link QueueStatistics#size}.
     *
     * @param size the number
     * @return this
     */
    public Builder size(long size) {
      values.size = size;
      return this;
    }

    /**
     * Sets {@link QueueStatistics#waiting}.
     *
     * @param waiting the number
     * @return this
     */
    public Builder waiting(long waiting) {
      values.waiting = waiting;
      return this;
    }

    /**
     * Sets {@link QueueStatistics#reported}.
     *
     * @param reported the number
     * @return this
     */
    public Builder reported(long reported) {
      values.reported = reported;
      return this;
    }

    /**
     * Sets {@link QueueStatistics#lost}.
     *
     * @param lost the number
     * @return this
     */
    public Builder lost(long lost) {
      values.lost = lost;
      return this;
    }

    /** {@return statistics of a queue with the values that were set; the builder may build more} */
    public QueueStatistics build() {
      return new QueueStatistics(values);
    }

    /** Returns statistics of a queue with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    long size;
    long waiting;
    long reported;
    long lost;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("size", size);
      to.put("waiting", waiting);
      to.put("reported", reported);
      to.put("lost", lost);
    }
  }
}
