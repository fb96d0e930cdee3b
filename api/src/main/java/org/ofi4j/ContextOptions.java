// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * What a context of a {@link ScalableEndpoint} is opened with: {@code fi_ep_bind}, {@code
 * fi_setopt}, and that of {@code struct fi_tx_attr} or {@code struct fi_rx_attr} in which it
 * differs from the others. The default flags of operations, {@code op_flags}, are not among it:
 * requests say themselves what they are.
 *
 * @param queue what operations are reported to; null if counters are enough
 * @param counters what is counted beside that; each kind of operation has one counter at most
 * @param capabilities bits of {@link Capability} that the context is for, out of those of the
 *     endpoint; 0 for all that concern its half. What concerns the whole endpoint, as its reach and
 *     remote access to its memory, a context neither has nor gives up
 * @param size how many operations may be posted; 0 for as many as the endpoint's information says
 * @param minMultiReceive as {@link EndpointOptions#minMultiReceive}; for receive contexts
 * @param context what {@link FabricObject#context} says
 */
public record ContextOptions(
    @Nullable QueueBinding queue,
    List<CounterBinding> counters,
    long capabilities,
    int size,
    long minMultiReceive,
    @Nullable Object context) {
  private static final ContextOptions NONE = new ContextOptions(null, List.of(), 0, 0, 0, null);

  /** Keeps the counters. */
  public ContextOptions {
    counters = Arguments.copyOf(counters, "counters");
    Arguments.minMultiReceive(minMultiReceive);
  }

  /** {@return options that say nothing} */
  public static ContextOptions none() {
    return NONE;
  }

  /**
   * {@return options with a queue}
   *
   * @param queue what all operations are reported to
   */
  public static ContextOptions of(CompletionQueue queue) {
    return NONE.withQueue(new QueueBinding(queue, false));
  }

  /**
   * {@return options with a queue that takes what asks for it, or fails}
   *
   * @param queue what such operations are reported to
   */
  public static ContextOptions ofSelective(CompletionQueue queue) {
    return NONE.withQueue(new QueueBinding(queue, true));
  }

  private ContextOptions withQueue(QueueBinding bound) {
    return new ContextOptions(bound, counters, capabilities, size, minMultiReceive, context);
  }

  /**
   * {@return a copy with one more counter}
   *
   * @param counter counts
   * @param what what it counts, one or more
   */
  public ContextOptions withMoreCounters(Counter counter, CounterFlag... what) {
    return new ContextOptions(
        queue,
        CounterBinding.more(counters, counter, what),
        capabilities,
        size,
        minMultiReceive,
        context);
  }

  /**
   * {@return a copy for certain capabilities}
   *
   * @param only what the context is for
   */
  public ContextOptions withCapabilities(Capability... only) {
    return new ContextOptions(queue, counters, Flag.maskOf(only), size, minMultiReceive, context);
  }

  /**
   * {@return a copy with another size}
   *
   * @param operations how many may be posted
   */
  public ContextOptions withSize(int operations) {
    return new ContextOptions(queue, counters, capabilities, operations, minMultiReceive, context);
  }

  /**
   * {@return a copy with another {@code minMultiReceive}}
   *
   * @param bytes 1 or more, or 0 for the default
   */
  public ContextOptions withMinMultiReceive(long bytes) {
    return new ContextOptions(queue, counters, capabilities, size, bytes, context);
  }

  /**
   * {@return a copy with another context}
   *
   * @param value any object
   */
  public ContextOptions withContext(@Nullable Object value) {
    return new ContextOptions(queue, counters, capabilities, size, minMultiReceive, value);
  }
}
