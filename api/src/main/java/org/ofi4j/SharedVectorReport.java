// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * The result of a check of the files of a named vector. Immutable, and equal to another one with
 * equal values.
 */
public final class SharedVectorReport {
  private final Values values;

  private SharedVectorReport(Values values) {
    this.values = values.copy();
  }

  /**
   * {@return a builder of a report, for providers; all numbers are 0, and all is right}
   *
   * @param name the name of the vector
   * @param state who uses it
   */
  public static Builder builder(String name, State state) {
    return new Builder(
        new Values(Arguments.required(name, "name"), Arguments.required(state, "state")));
  }

  /** {@return its name} */
  public String name() {
    return values.name;
  }

  /** {@return who uses it} */
  public State state() {
    return values.state;
  }

  /** {@return how many writers have repaired what a writer had left that died} */
  public long repairs() {
    return values.repairs;
  }

  /** {@return how many times its lock was held and given back} */
  public long changes() {
    return values.changes;
  }

  /** {@return how many entries there are} */
  public long entries() {
    return values.entries;
  }

  /** {@return how many indices asynchronous insertions have reserved} */
  public long reserved() {
    return values.reserved;
  }

  /** {@return how many runs of consecutive addresses it keeps as formulas} */
  public long runs() {
    return values.runs;
  }

  /** {@return how much of the file of entries is in use} */
  public long bytes() {
    return values.bytes;
  }

  /** {@return the processes that have it open} */
  public List<Long> processes() {
    return values.processes;
  }

  /** {@return the process that died or failed while changing it; empty for none} */
  public OptionalLong interrupted() {
    return values.interrupted;
  }

  /**
   * {@return what is not as it must be, a sentence each, at most 1,000 and a last one about the
   * others; empty if all is right}
   */
  public List<String> violations() {
    return values.violations;
  }

  /** {@return whether all is right} */
  public boolean isSound() {
    return violations().isEmpty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SharedVectorReport that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("SharedVectorReport");
  }

  /** Who uses a vector. */
  public enum State {
    /** A process has it open. */
    IN_USE,
    /**
     * A process died or failed while changing it; the next writer repairs what it left, or begins
     * with an empty vector if no process has it open. What readers go by must be right all the
     * same, and was checked; what only writers go by was not.
     */
    INTERRUPTED,
    /** No process has it open: killed processes left it. */
    LEFT
  }

  /** Builds the report of a check. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link SharedVectorReport#repairs}.
     *
     * @param repairs the number
     * @return this
     */
    public Builder repairs(long repairs) {
      values.repairs = repairs;
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#changes}.
     *
     * @param changes the number
     * @return this
     */
    public Builder changes(long changes) {
      values.changes = changes;
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#entries}.
     *
     * @param entries the number
     * @return this
     */
    public Builder entries(long entries) {
      values.entries = entries;
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#reserved}.
     *
     * @param reserved the number
     * @return this
     */
    public Builder reserved(long reserved) {
      values.reserved = reserved;
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#runs}.
     *
     * @param runs the number
     * @return this
     */
    public Builder runs(long runs) {
      values.runs = runs;
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#bytes}.
     *
     * @param bytes the bytes
     * @return this
     */
    public Builder bytes(long bytes) {
      values.bytes = bytes;
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#processes}.
     *
     * @param processes the processes, which are copied
     * @return this
     */
    public Builder processes(List<Long> processes) {
      values.processes = Arguments.copyOf(processes, "processes");
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#interrupted}.
     *
     * @param interrupted the process
     * @return this
     */
    public Builder interrupted(OptionalLong interrupted) {
      values.interrupted = Arguments.required(interrupted, "interrupted");
      return this;
    }

    /**
     * Sets {@link SharedVectorReport#violations}.
     *
     * @param violations the sentences, which are copied
     * @return this
     */
    public Builder violations(List<String> violations) {
      values.violations = Arguments.copyOf(violations, "violations");
      return this;
    }

    /** {@return the report of a check with the values that were set; the builder may build more} */
    public SharedVectorReport build() {
      return new SharedVectorReport(values);
    }

    /** Returns the report of a check with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    final String name;
    final State state;
    long repairs;
    long changes;
    long entries;
    long reserved;
    long runs;
    long bytes;
    List<Long> processes = List.of();
    OptionalLong interrupted = OptionalLong.empty();
    List<String> violations = List.of();

    Values(String name, State state) {
      this.name = name;
      this.state = state;
    }

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("name", name);
      to.put("state", state);
      to.put("repairs", repairs);
      to.put("changes", changes);
      to.put("entries", entries);
      to.put("reserved", reserved);
      to.put("runs", runs);
      to.put("bytes", bytes);
      to.put("processes", processes);
      to.put("interrupted", interrupted);
      to.put("violations", violations);
    }
  }
}
