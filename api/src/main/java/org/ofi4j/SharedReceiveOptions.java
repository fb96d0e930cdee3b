// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * Properties of a {@link SharedReceiveContext}. Immutable; each {@code with} method returns a
 * changed copy.
 */
public final class SharedReceiveOptions {
  private static final SharedReceiveOptions NONE = new SharedReceiveOptions(new Values());

  private final Values values;

  private SharedReceiveOptions(Values values) {
    this.values = values;
  }

  /** {@return options that say nothing} */
  public static SharedReceiveOptions none() {
    return NONE;
  }

  /** {@return {@code FI_OPT_MIN_MULTI_RECV} in bytes, 0 for the default} */
  public long minMultiReceive() {
    return values.minMultiReceive;
  }

  /**
   * {@return a copy with another {@code FI_OPT_MIN_MULTI_RECV}}
   *
   * @param bytes as {@link EndpointOptions#withMinMultiReceive} has it
   * @throws FabricException with {@link Errno#EINVAL} if the number is negative
   */
  public SharedReceiveOptions withMinMultiReceive(long bytes) {
    Arguments.minMultiReceive(bytes);
    return with(copy -> copy.minMultiReceive = bytes);
  }

  /** {@return the context's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public SharedReceiveOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private SharedReceiveOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new SharedReceiveOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("SharedReceiveOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private long minMultiReceive;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("minMultiReceive", minMultiReceive);
      to.put("context", context);
    }
  }
}
