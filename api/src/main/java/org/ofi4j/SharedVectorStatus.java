// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * How a named vector is at one moment. Its processes continue: numbers may be of moments that lie a
 * little apart. Immutable, and equal to another one with equal values.
 */
public final class SharedVectorStatus {
  private final Values values;

  private SharedVectorStatus(Values values) {
    this.values = values.copy();
  }

  /**
   * {@return a builder of a status, for providers; all numbers are 0, nothing else is known}
   *
   * @param name the name of the vector
   */
  public static Builder builder(String name) {
    return new Builder(new Values(Arguments.required(name, "name")));
  }

  /** {@return its name} */
  public String name() {
    return values.name;
  }

  /**
   * {@return a version whose rules for indices and handles it has; other versions with the same
   * rules open it too}
   */
  public ApiVersion apiVersion() {
    return values.apiVersion;
  }

  /** {@return how entries are seen} */
  public VectorType type() {
    return values.type;
  }

  /** {@return what inserting an address twice does} */
  public DuplicatePolicy duplicates() {
    return values.duplicates;
  }

  /** {@return the format of its addresses} */
  public AddressFormat format() {
    return values.format;
  }

  /** {@return high bits of each handle kept free} */
  public int receiveContextBits() {
    return values.receiveContextBits;
  }

  /** {@return the largest peer group of its domain} */
  public long maxGroup() {
    return values.maxGroup;
  }

  /** {@return the base of MAP handles} */
  public long mapAddress() {
    return values.mapAddress;
  }

  /** {@return how many entries the process that made it expected} */
  public long count() {
    return values.count;
  }

  /** {@return how many there are} */
  public long entries() {
    return values.entries;
  }

  /** {@return the most that there were at once} */
  public long mostEntries() {
    return values.mostEntries;
  }

  /** {@return how many runs of consecutive addresses it keeps as formulas} */
  public long runs() {
    return values.runs;
  }

  /** {@return bytes of its entries} */
  public MemoryUse memory() {
    return values.memory;
  }

  /** {@return how many writers have repaired what a writer had left that died} */
  public long repairs() {
    return values.repairs;
  }

  /** {@return how many times its lock was held and given back} */
  public long changes() {
    return values.changes;
  }

  /**
   * {@return the process that changes it now, or that died or failed while it did; empty for none}
   */
  public OptionalLong writer() {
    return values.writer;
  }

  /**
   * {@return whether the writer lives and its change has not failed, whatever PID namespace it is
   * in}
   */
  public boolean writerAtWork() {
    return values.writerAtWork;
  }

  /**
   * {@return the processes that have it open, except this one; each number, like that of the
   * writer, is the one in the PID namespace of the process, so two processes may have the same}
   */
  public List<Long> processes() {
    return values.processes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SharedVectorStatus that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("SharedVectorStatus");
  }

  /** Builds the status of a vector. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link SharedVectorStatus#apiVersion}.
     *
     * @param apiVersion the version
     * @return this
     */
    public Builder apiVersion(ApiVersion apiVersion) {
      values.apiVersion = Arguments.required(apiVersion, "apiVersion");
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#type}.
     *
     * @param type the type
     * @return this
     */
    public Builder type(VectorType type) {
      values.type = Arguments.required(type, "type");
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#duplicates}.
     *
     * @param duplicates the policy
     * @return this
     */
    public Builder duplicates(DuplicatePolicy duplicates) {
      values.duplicates = Arguments.required(duplicates, "duplicates");
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#format}.
     *
     * @param format the format
     * @return this
     */
    public Builder format(AddressFormat format) {
      values.format = Arguments.required(format, "format");
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#receiveContextBits}.
     *
     * @param receiveContextBits the number
     * @return this
     */
    public Builder receiveContextBits(int receiveContextBits) {
      values.receiveContextBits = receiveContextBits;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#maxGroup}.
     *
     * @param maxGroup the group
     * @return this
     */
    public Builder maxGroup(long maxGroup) {
      values.maxGroup = maxGroup;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#mapAddress}.
     *
     * @param mapAddress the base
     * @return this
     */
    public Builder mapAddress(long mapAddress) {
      values.mapAddress = mapAddress;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#count}.
     *
     * @param count the number
     * @return this
     */
    public Builder count(long count) {
      values.count = count;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#entries}.
     *
     * @param entries the number
     * @return this
     */
    public Builder entries(long entries) {
      values.entries = entries;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#mostEntries}.
     *
     * @param mostEntries the number
     * @return this
     */
    public Builder mostEntries(long mostEntries) {
      values.mostEntries = mostEntries;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#runs}.
     *
     * @param runs the number
     * @return this
     */
    public Builder runs(long runs) {
      values.runs = runs;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#memory}.
     *
     * @param memory the memory
     * @return this
     */
    public Builder memory(MemoryUse memory) {
      values.memory = Arguments.required(memory, "memory");
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#repairs}.
     *
     * @param repairs the number
     * @return this
     */
    public Builder repairs(long repairs) {
      values.repairs = repairs;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#changes}.
     *
     * @param changes the number
     * @return this
     */
    public Builder changes(long changes) {
      values.changes = changes;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#writer}.
     *
     * @param writer the process
     * @return this
     */
    public Builder writer(OptionalLong writer) {
      values.writer = Arguments.required(writer, "writer");
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#writerAtWork}.
     *
     * @param writerAtWork whether it does
     * @return this
     */
    public Builder writerAtWork(boolean writerAtWork) {
      values.writerAtWork = writerAtWork;
      return this;
    }

    /**
     * Sets {@link SharedVectorStatus#processes}.
     *
     * @param processes the processes, which are copied
     * @return this
     */
    public Builder processes(List<Long> processes) {
      values.processes = Arguments.copyOf(processes, "processes");
      return this;
    }

    /**
     * {@return the status of a vector with the values that were set; the builder may build more}
     */
    public SharedVectorStatus build() {
      return new SharedVectorStatus(values);
    }

    /** Returns the status of a vector with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    final String name;
    ApiVersion apiVersion = ApiVersion.LATEST;
    VectorType type = VectorType.UNSPECIFIED;
    DuplicatePolicy duplicates = DuplicatePolicy.BY_VERSION;
    AddressFormat format = AddressFormat.UNSPECIFIED;
    int receiveContextBits;
    long maxGroup;
    long mapAddress;
    long count;
    long entries;
    long mostEntries;
    long runs;
    MemoryUse memory = MemoryUse.builder().build();
    long repairs;
    long changes;
    OptionalLong writer = OptionalLong.empty();
    boolean writerAtWork;
    List<Long> processes = List.of();

    Values(String name) {
      this.name = name;
    }

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("name", name);
      to.put("apiVersion", apiVersion);
      to.put("type", type);
      to.put("duplicates", duplicates);
      to.put("format", format);
      to.put("receiveContextBits", receiveContextBits);
      to.put("maxGroup", maxGroup);
      to.put("mapAddress", mapAddress);
      to.put("count", count);
      to.put("entries", entries);
      to.put("mostEntries", mostEntries);
      to.put("runs", runs);
      to.put("memory", memory);
      to.put("repairs", repairs);
      to.put("changes", changes);
      to.put("writer", writer);
      to.put("writerAtWork", writerAtWork);
      to.put("processes", processes);
    }
  }
}
