// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/** {@code struct fi_eq_attr}. Immutable; each {@code with} method returns a changed copy. */
public final class EventQueueOptions {
  /** The number of events that fit if the application does not set another one. */
  public static final int DEFAULT_SIZE = 65_536;

  private static final EventQueueOptions DEFAULTS = new EventQueueOptions(new Values());

  private final Values values;

  private EventQueueOptions(Values values) {
    this.values = values;
  }

  /** {@return options with the default size and no context} */
  public static EventQueueOptions defaults() {
    return DEFAULTS;
  }

  /** {@return how many events fit, 0 for {@value #DEFAULT_SIZE}} */
  public int size() {
    return values.size;
  }

  /**
   * {@return a copy with another size}
   *
   * @param events how many fit before new ones are lost ({@link Errno#EOVERRUN}); 0 for the
   *     default, {@value #DEFAULT_SIZE}. The completions of insertions are never lost: beyond the
   *     size there is space for one of each call
   * @throws FabricException with {@link Errno#EINVAL} if the number is negative
   */
  public EventQueueOptions withSize(int events) {
    if (events < 0) {
      throw new FabricException(
          Errno.EINVAL, "event queue size " + events + " is negative: use 0 for the default");
    }
    return with(copy -> copy.size = events);
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
  public EventQueueOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private EventQueueOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new EventQueueOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #defaults}} */
  @Override
  public String toString() {
    return values.text("EventQueueOptions", DEFAULTS.values.all());
  }

  private static final class Values extends Fields<Values> {
    private int size;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("size", size);
      to.put("context", context);
    }
  }
}
