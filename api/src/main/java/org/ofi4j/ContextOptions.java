// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * The queue, counters and properties of a context of a {@link ScalableEndpoint}: {@code
 * fi_ep_bind}, {@code fi_setopt}, and the fields of {@code struct fi_tx_attr} or {@code struct
 * fi_rx_attr} in which it differs from the other contexts. Default flags of operations, {@code
 * op_flags}, are not among them: each request has its own.
 *
 * <p>Immutable; each {@code with} method returns a changed copy.
 */
public final class ContextOptions {
  private static final ContextOptions NONE = new ContextOptions(new Values());

  private final Values values;

  private ContextOptions(Values values) {
    this.values = values;
  }

  /** {@return options that say nothing} */
  public static ContextOptions none() {
    return NONE;
  }

  /**
   * {@return options with a queue}
   *
   * @param queue takes the completions of all operations
   */
  public static ContextOptions of(CompletionQueue queue) {
    return NONE.withQueue(queue);
  }

  /**
   * {@return options with a queue, to which only some operations are reported}
   *
   * @param queue takes the completions of operations that fail, or ask to be reported
   */
  public static ContextOptions ofSelective(CompletionQueue queue) {
    return NONE.withSelectiveQueue(queue);
  }

  /** {@return the queue of all operations, or null} */
  public @Nullable QueueBinding queue() {
    return values.queue;
  }

  /**
   * {@return a copy with another queue} Without one, counters must be enough.
   *
   * @param queue takes the completions of all operations, of the same domain
   */
  public ContextOptions withQueue(CompletionQueue queue) {
    QueueBinding bound = new QueueBinding(queue, false);
    return with(copy -> copy.queue = bound);
  }

  /**
   * {@return a copy with another queue, to which only some operations are reported}
   *
   * @param queue takes the completions of operations that fail, or ask to be {@linkplain
   *     TransferRequest#reported reported}
   */
  public ContextOptions withSelectiveQueue(CompletionQueue queue) {
    QueueBinding bound = new QueueBinding(queue, true);
    return with(copy -> copy.queue = bound);
  }

  /** {@return the counters, and the operations that each one counts} */
  public List<CounterBinding> counters() {
    return values.counters;
  }

  /**
   * {@return a copy with one counter alone} Each kind of operation has one counter at most; one
   * counter may count several kinds, also of several endpoints.
   *
   * @param counter counts, of the same domain
   * @param flags the operations that it counts, one or more
   * @throws FabricException with {@link Errno#EBADFLAGS} if there are no flags
   */
  public ContextOptions withCounters(Counter counter, CounterFlag... flags) {
    CounterBinding bound = new CounterBinding(counter, Flag.maskOf(flags));
    return with(copy -> copy.counters = List.of(bound));
  }

  /**
   * {@return a copy with one counter beside those that there are already}
   *
   * @param counter counts, as {@link #withCounters} says
   * @param flags the operations that it counts, one or more
   * @throws FabricException with {@link Errno#EBADFLAGS} if there are no flags
   */
  public ContextOptions withMoreCounters(Counter counter, CounterFlag... flags) {
    List<CounterBinding> all = CounterBinding.more(values.counters, counter, flags);
    return with(copy -> copy.counters = all);
  }

  /** {@return bits of {@link Capability}, 0 for all that concern the half of the context} */
  public long capabilities() {
    return values.capabilities;
  }

  /**
   * {@return a copy for these capabilities alone} A context neither has nor gives up capabilities
   * of the whole endpoint, such as its reach and remote access to its memory.
   *
   * @param capabilities some of those of the endpoint; none for all that concern the half of the
   *     context
   */
  public ContextOptions withCapabilities(Capability... capabilities) {
    long mask = Flag.maskOf(capabilities);
    return with(copy -> copy.capabilities = mask);
  }

  /** {@return how many operations may be posted, 0 for the number in the information} */
  public int size() {
    return values.size;
  }

  /**
   * {@return a copy with another size}
   *
   * @param operations how many may be posted; 0 for the number in the endpoint's information
   */
  public ContextOptions withSize(int operations) {
    return with(copy -> copy.size = operations);
  }

  /** {@return {@code FI_OPT_MIN_MULTI_RECV} in bytes, 0 for the default} */
  public long minMultiReceive() {
    return values.minMultiReceive;
  }

  /**
   * {@return a copy with another {@code FI_OPT_MIN_MULTI_RECV}} It is for receive contexts.
   *
   * @param bytes as {@link EndpointOptions#withMinMultiReceive} has it
   * @throws FabricException with {@link Errno#EINVAL} if the number is negative
   */
  public ContextOptions withMinMultiReceive(long bytes) {
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
  public ContextOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private ContextOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new ContextOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("ContextOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private @Nullable QueueBinding queue;
    private List<CounterBinding> counters = List.of();
    private long capabilities;
    private int size;
    private long minMultiReceive;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("queue", queue);
      to.put("counters", counters);
      to.put("capabilities", Flag.names(Capability.class, capabilities));
      to.put("size", size);
      to.put("minMultiReceive", minMultiReceive);
      to.put("context", context);
    }
  }
}
