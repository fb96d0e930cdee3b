// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * What an endpoint is opened with: {@code fi_ep_bind}, {@code fi_setname} and {@code fi_setopt}.
 * What does not fit the endpoint is refused when it is opened.
 *
 * @param vector what handles refer to; an endpoint with one peer needs none
 * @param transmit what sends, reads and writes are reported to; null if counters are enough, which
 *     they are not for datagrams, or if nothing is sent
 * @param receive what receives are reported to; null if counters are enough, or nothing is received
 * @param counters what is counted beside that. Each kind of operation has one counter at most; one
 *     counter may count several kinds, also of several endpoints
 * @param events where an endpoint with one peer reports how connecting went, which it must have;
 *     and a reliable one which peers of its vector are {@linkplain Event.PeerLost lost} and
 *     {@linkplain Event.PeerReturned back}. With manual progress, reading the queue moves the
 *     endpoint's connections and data, as reading its completion queues does
 * @param sharedReceives receives that messages to this endpoint take, in place of its own. Their
 *     completions go to the queue that this endpoint has for receives
 * @param address where the endpoint is to be, in place of the source of its information, an address
 *     of this host; port 0 is any
 * @param connections how it gets on with its connections
 * @param minMultiReceive {@code FI_OPT_MIN_MULTI_RECV}: how much of a buffer for {@linkplain
 *     ReceiveMode#SEVERAL_MESSAGES several messages} must be left for it to take another one, in
 *     bytes, 1 or more; 0 for what the endpoint has by default. A message that is longer than what
 *     is left is truncated; so this should be the length of the longest message
 * @param context what {@link FabricObject#context} says
 */
public record EndpointOptions(
    @Nullable AddressVector vector,
    @Nullable QueueBinding transmit,
    @Nullable QueueBinding receive,
    List<CounterBinding> counters,
    @Nullable EventQueue events,
    @Nullable SharedReceiveContext sharedReceives,
    @Nullable FabricAddress address,
    ConnectionOptions connections,
    long minMultiReceive,
    @Nullable Object context) {
  private static final EndpointOptions NONE =
      new EndpointOptions(
          null, null, null, List.of(), null, null, null, ConnectionOptions.defaults(), 0, null);

  /** Keeps the counters. */
  public EndpointOptions {
    counters = Arguments.copyOf(counters, "counters");
    Arguments.required(connections, "connections");
    Arguments.minMultiReceive(minMultiReceive);
  }

  /** {@return options that say nothing} */
  public static EndpointOptions none() {
    return NONE;
  }

  /**
   * {@return options of an endpoint that knows its peers by handles}
   *
   * @param vector what handles refer to
   * @param queue what all operations are reported to
   */
  public static EndpointOptions of(AddressVector vector, CompletionQueue queue) {
    return NONE.withVector(vector).withQueue(queue);
  }

  /**
   * {@return options of an endpoint with one peer}
   *
   * @param events where it reports how connecting went
   * @param queue what all operations are reported to
   */
  public static EndpointOptions of(EventQueue events, CompletionQueue queue) {
    return NONE.withEvents(events).withQueue(queue);
  }

  /**
   * {@return a copy with another vector}
   *
   * @param present what handles refer to
   */
  public EndpointOptions withVector(AddressVector present) {
    return with(copy -> copy.vector = Arguments.required(present, "vector"));
  }

  /**
   * {@return a copy with one queue for both directions}
   *
   * @param queue what all operations are reported to
   */
  public EndpointOptions withQueue(CompletionQueue queue) {
    QueueBinding both = new QueueBinding(queue, false);
    return with(copy -> {
      copy.transmit = both;
      copy.receive = both;
    });
  }

  /**
   * {@return a copy with another queue for what goes out}
   *
   * @param queue what sends, reads and writes are reported to
   */
  public EndpointOptions withTransmitQueue(CompletionQueue queue) {
    return with(copy -> copy.transmit = new QueueBinding(queue, false));
  }

  /**
   * {@return a copy with another queue for what goes out}
   *
   * @param queue what sends, reads and writes are reported to that ask for it, or fail
   */
  public EndpointOptions withSelectiveTransmitQueue(CompletionQueue queue) {
    return with(copy -> copy.transmit = new QueueBinding(queue, true));
  }

  /**
   * {@return a copy with another queue for what comes in}
   *
   * @param queue what receives are reported to
   */
  public EndpointOptions withReceiveQueue(CompletionQueue queue) {
    return with(copy -> copy.receive = new QueueBinding(queue, false));
  }

  /**
   * {@return a copy with another queue for what comes in}
   *
   * @param queue what receives are reported to that ask for it, or fail
   */
  public EndpointOptions withSelectiveReceiveQueue(CompletionQueue queue) {
    return with(copy -> copy.receive = new QueueBinding(queue, true));
  }

  /**
   * {@return a copy with one more counter}
   *
   * @param counter counts
   * @param what what it counts, one or more
   */
  public EndpointOptions withMoreCounters(Counter counter, CounterFlag... what) {
    return with(copy -> copy.counters = CounterBinding.more(counters, counter, what));
  }

  private EndpointOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.options();
  }

  /** What a copy is made of, until it is one. */
  private static final class Copy {
    private @Nullable AddressVector vector;
    private @Nullable QueueBinding transmit;
    private @Nullable QueueBinding receive;
    private List<CounterBinding> counters;
    private @Nullable EventQueue events;
    private @Nullable SharedReceiveContext sharedReceives;
    private @Nullable FabricAddress address;
    private ConnectionOptions connections;
    private long minMultiReceive;
    private @Nullable Object context;

    Copy(EndpointOptions of) {
      vector = of.vector;
      transmit = of.transmit;
      receive = of.receive;
      counters = of.counters;
      events = of.events;
      sharedReceives = of.sharedReceives;
      address = of.address;
      connections = of.connections;
      minMultiReceive = of.minMultiReceive;
      context = of.context;
    }

    EndpointOptions options() {
      return new EndpointOptions(
          vector,
          transmit,
          receive,
          counters,
          events,
          sharedReceives,
          address,
          connections,
          minMultiReceive,
          context);
    }
  }

  /**
   * {@return a copy with another event queue}
   *
   * @param queue takes events of connections, of the same fabric
   */
  public EndpointOptions withEvents(EventQueue queue) {
    return with(copy -> copy.events = Arguments.required(queue, "events"));
  }

  /**
   * {@return a copy that takes receives of a shared receive context}
   *
   * @param shared where receives are posted, of the same domain
   */
  public EndpointOptions withSharedReceives(SharedReceiveContext shared) {
    return with(copy -> copy.sharedReceives = Arguments.required(shared, "sharedReceives"));
  }

  /**
   * {@return a copy with another address}
   *
   * @param own where the endpoint is to be
   */
  public EndpointOptions withAddress(FabricAddress own) {
    return with(copy -> copy.address = Arguments.required(own, "address"));
  }

  /**
   * {@return a copy with other options of connections}
   *
   * @param options how it gets on with them
   */
  public EndpointOptions withConnections(ConnectionOptions options) {
    return with(copy -> copy.connections = options);
  }

  /**
   * {@return a copy with another {@code minMultiReceive}}
   *
   * @param bytes 1 or more, or 0 for the default
   */
  public EndpointOptions withMinMultiReceive(long bytes) {
    return with(copy -> copy.minMultiReceive = bytes);
  }

  /**
   * {@return a copy with another context}
   *
   * @param value any object
   */
  public EndpointOptions withContext(@Nullable Object value) {
    return with(copy -> copy.context = value);
  }
}
