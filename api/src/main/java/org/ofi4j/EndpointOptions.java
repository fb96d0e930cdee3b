// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * The objects that an endpoint works with, and its address: {@code fi_ep_bind}, {@code fi_setname}
 * and {@code fi_setopt}. Opening an endpoint refuses options that do not fit its kind.
 *
 * <p>Immutable; each {@code with} method returns a changed copy. It throws {@link FabricException}
 * with {@link Errno#EINVAL} for null where a value is needed.
 */
public final class EndpointOptions {
  private static final EndpointOptions NONE = new EndpointOptions(new Values());

  private final Values values;

  private EndpointOptions(Values values) {
    this.values = values;
  }

  /** {@return options that say nothing} */
  public static EndpointOptions none() {
    return NONE;
  }

  /**
   * {@return options of an endpoint that knows its peers by handles}
   *
   * @param vector the vector that handles refer to
   * @param queue takes the completions of all operations
   */
  public static EndpointOptions of(AddressVector vector, CompletionQueue queue) {
    return NONE.withVector(vector).withQueue(queue);
  }

  /**
   * {@return options of an endpoint with one peer}
   *
   * @param events where it reports how connecting went
   * @param queue takes the completions of all operations
   */
  public static EndpointOptions of(EventQueue events, CompletionQueue queue) {
    return NONE.withEvents(events).withQueue(queue);
  }

  /** {@return the vector that handles refer to, or null} */
  public @Nullable AddressVector vector() {
    return values.vector;
  }

  /**
   * {@return a copy with another vector}
   *
   * @param vector the vector that handles refer to, of the same domain; an endpoint with one peer
   *     needs none
   */
  public EndpointOptions withVector(AddressVector vector) {
    Arguments.required(vector, "vector");
    return with(copy -> copy.vector = vector);
  }

  /** {@return the queue of sends, reads and writes, or null} */
  public @Nullable QueueBinding transmit() {
    return values.transmit;
  }

  /** {@return the queue of receives, or null} */
  public @Nullable QueueBinding receive() {
    return values.receive;
  }

  /**
   * {@return a copy with one queue for both directions}
   *
   * @param queue takes the completions of all operations, of the same domain
   */
  public EndpointOptions withQueue(CompletionQueue queue) {
    return withTransmitQueue(queue).withReceiveQueue(queue);
  }

  /**
   * {@return a copy with another queue for operations that the endpoint starts} Without one,
   * counters must be enough, or nothing is sent.
   *
   * @param queue takes the completions of sends, reads and writes, of the same domain
   */
  public EndpointOptions withTransmitQueue(CompletionQueue queue) {
    QueueBinding bound = new QueueBinding(queue, false);
    return with(copy -> copy.transmit = bound);
  }

  /**
   * {@return a copy with another queue for operations that the endpoint starts, of which it reports
   * only some}
   *
   * @param queue takes the completions of sends, reads and writes that fail, or ask to be
   *     {@linkplain TransferRequest#reported reported}
   */
  public EndpointOptions withSelectiveTransmitQueue(CompletionQueue queue) {
    QueueBinding bound = new QueueBinding(queue, true);
    return with(copy -> copy.transmit = bound);
  }

  /**
   * {@return a copy with another queue for receives} Without one, counters must be enough, or
   * nothing is received.
   *
   * @param queue takes the completions of receives, of the same domain
   */
  public EndpointOptions withReceiveQueue(CompletionQueue queue) {
    QueueBinding bound = new QueueBinding(queue, false);
    return with(copy -> copy.receive = bound);
  }

  /**
   * {@return a copy with another queue for receives, of which it reports only some}
   *
   * @param queue takes the completions of receives that fail, or ask to be {@linkplain
   *     TransferRequest#reported reported}
   */
  public EndpointOptions withSelectiveReceiveQueue(CompletionQueue queue) {
    QueueBinding bound = new QueueBinding(queue, true);
    return with(copy -> copy.receive = bound);
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
  public EndpointOptions withCounters(Counter counter, CounterFlag... flags) {
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
  public EndpointOptions withMoreCounters(Counter counter, CounterFlag... flags) {
    List<CounterBinding> all = CounterBinding.more(values.counters, counter, flags);
    return with(copy -> copy.counters = all);
  }

  /** {@return the queue of events, or null} */
  public @Nullable EventQueue events() {
    return values.events;
  }

  /**
   * {@return a copy with another event queue} An endpoint with one peer must have one and reports
   * there how connecting went. A reliable endpoint reports there which peers of its vector are
   * {@linkplain Event.PeerLost lost} and {@linkplain Event.PeerReturned back}. With manual
   * progress, reading the queue moves the endpoint's connections and data, as reading its
   * completion queues does.
   *
   * @param events takes the events, of the same fabric
   */
  public EndpointOptions withEvents(EventQueue events) {
    Arguments.required(events, "events");
    return with(copy -> copy.events = events);
  }

  /** {@return the context whose receives messages take, or null for those of the endpoint} */
  public @Nullable SharedReceiveContext sharedReceives() {
    return values.sharedReceives;
  }

  /**
   * {@return a copy whose messages take receives of a shared context, in place of its own} Their
   * completions go to the queue that this endpoint has for receives.
   *
   * @param sharedReceives the context that receives are posted to, of the same domain
   */
  public EndpointOptions withSharedReceives(SharedReceiveContext sharedReceives) {
    Arguments.required(sharedReceives, "sharedReceives");
    return with(copy -> copy.sharedReceives = sharedReceives);
  }

  /** {@return the endpoint's address, null for the source of its information} */
  public @Nullable FabricAddress address() {
    return values.address;
  }

  /**
   * {@return a copy with another address}
   *
   * @param address the endpoint's address, in place of the source of its information: an address of
   *     this host; port 0 is any
   */
  public EndpointOptions withAddress(FabricAddress address) {
    Arguments.required(address, "address");
    return with(copy -> copy.address = address);
  }

  /** {@return the options of the endpoint's connections} */
  public ConnectionOptions connections() {
    return values.connections;
  }

  /**
   * {@return a copy with other options of connections}
   *
   * @param connections timeouts, early messages and security; the defaults if it is not called
   */
  public EndpointOptions withConnections(ConnectionOptions connections) {
    Arguments.required(connections, "connections");
    return with(copy -> copy.connections = connections);
  }

  /** {@return {@code FI_OPT_MIN_MULTI_RECV} in bytes, 0 for the default} */
  public long minMultiReceive() {
    return values.minMultiReceive;
  }

  /**
   * {@return a copy with another {@code FI_OPT_MIN_MULTI_RECV}} A message that is longer than the
   * rest of the buffer is truncated; so this should be the length of the longest message.
   *
   * @param bytes how much of a buffer for {@linkplain ReceiveMode#SEVERAL_MESSAGES several
   *     messages} must be free for it to take another message, 1 or more; 0 for the default of the
   *     endpoint
   * @throws FabricException with {@link Errno#EINVAL} if the number is negative
   */
  public EndpointOptions withMinMultiReceive(long bytes) {
    Arguments.minMultiReceive(bytes);
    return with(copy -> copy.minMultiReceive = bytes);
  }

  /** {@return the endpoint's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public EndpointOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private EndpointOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new EndpointOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("EndpointOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private @Nullable AddressVector vector;
    private @Nullable QueueBinding transmit;
    private @Nullable QueueBinding receive;
    private List<CounterBinding> counters = List.of();
    private @Nullable EventQueue events;
    private @Nullable SharedReceiveContext sharedReceives;
    private @Nullable FabricAddress address;
    private ConnectionOptions connections = ConnectionOptions.defaults();
    private long minMultiReceive;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("vector", vector);
      to.put("transmit", transmit);
      to.put("receive", receive);
      to.put("counters", counters);
      to.put("events", events);
      to.put("sharedReceives", sharedReceives);
      to.put("address", address);
      to.put("connections", connections);
      to.put("minMultiReceive", minMultiReceive);
      to.put("context", context);
    }
  }
}
