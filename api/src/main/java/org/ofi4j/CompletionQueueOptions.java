// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/** {@code struct fi_cq_attr}. Immutable; each {@code with} method returns a changed copy. */
public final class CompletionQueueOptions {
  /** The number of completions that fit if the application does not set another one. */
  public static final int DEFAULT_SIZE = 8192;

  private static final CompletionQueueOptions DEFAULTS = new CompletionQueueOptions(new Values());

  private final Values values;

  private CompletionQueueOptions(Values values) {
    this.values = values;
  }

  /** {@return options with the default size, all fields and no context} */
  public static CompletionQueueOptions defaults() {
    return DEFAULTS;
  }

  /**
   * {@return options with the default size and one format}
   *
   * @param format the fields that are filled in
   */
  public static CompletionQueueOptions of(CompletionFormat format) {
    return DEFAULTS.withFormat(format);
  }

  /** {@return how many completions fit, 0 for {@value #DEFAULT_SIZE}} */
  public int size() {
    return values.size;
  }

  /**
   * {@return a copy with another size}
   *
   * @param completions how many fit, up to 1,048,576; 0 for the default, {@value #DEFAULT_SIZE}.
   *     While the queue is full operations wait, and no completion is lost
   * @throws FabricException with {@link Errno#EINVAL} if the number is negative
   */
  public CompletionQueueOptions withSize(int completions) {
    if (completions < 0) {
      throw new FabricException(
          Errno.EINVAL,
          "completion queue size " + completions + " is negative: use 0 for the default");
    }
    return with(copy -> copy.size = completions);
  }

  /** {@return the fields that are filled in} */
  public CompletionFormat format() {
    return values.format;
  }

  /**
   * {@return a copy with another format}
   *
   * @param format the fields that are filled in; the others are 0
   * @throws FabricException with {@link Errno#EINVAL} if it is null
   */
  public CompletionQueueOptions withFormat(CompletionFormat format) {
    Arguments.required(format, "format");
    return with(copy -> copy.format = format);
  }

  /** {@return the queue's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public CompletionQueueOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private CompletionQueueOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new CompletionQueueOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #defaults}} */
  @Override
  public String toString() {
    return values.text("CompletionQueueOptions", DEFAULTS.values.all());
  }

  private static final class Values extends Fields<Values> {
    private int size;
    private CompletionFormat format = CompletionFormat.UNSPECIFIED;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("size", size);
      to.put("format", format);
      to.put("context", context);
    }
  }
}
