// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.micrometer;

import static io.micrometer.core.instrument.binder.BaseUnits.BYTES;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.EndpointStatistics.Operations;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.QueueStatistics;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.VectorStatistics;

/**
 * The statistics of one vector, endpoint or queue as meters. Reading a meter asks the object, which
 * counts anyway; nothing is sampled and no thread is started.
 *
 * <table>
 * <caption>Meters, their tags, and what they are</caption>
 * <tr><th>meter</th><th>tags</th><th>what</th></tr>
 * <tr><td>{@code ofi4j.vector.entries}, {@code .capacity}, {@code .entries.max}</td><td></td>
 *     <td>gauges of {@link VectorStatistics}</td></tr>
 * <tr><td>{@code ofi4j.vector.memory.live}, {@code .memory.held}</td><td></td>
 *     <td>gauges in bytes</td></tr>
 * <tr><td>{@code ofi4j.vector.insertions}</td><td>{@code result}</td><td>counter</td></tr>
 * <tr><td>{@code ofi4j.vector.removals}</td><td></td><td>counter</td></tr>
 * <tr><td>{@code ofi4j.endpoint.operations}</td><td>{@code operation}, {@code result}</td>
 *     <td>counter of {@link EndpointStatistics}</td></tr>
 * <tr><td>{@code ofi4j.endpoint.transferred}</td><td>{@code operation}</td>
 *     <td>counter in bytes</td></tr>
 * <tr><td>{@code ofi4j.endpoint.outstanding}</td><td>{@code direction}</td><td>gauge</td></tr>
 * <tr><td>{@code ofi4j.endpoint.connections}</td><td></td>
 *     <td>gauge of {@link ConnectionStatistics}: those that are open</td></tr>
 * <tr><td>{@code ofi4j.endpoint.connections.opened}</td><td>{@code by}</td><td>counter</td></tr>
 * <tr><td>{@code ofi4j.endpoint.connections.failed}, {@code .lost}, {@code .rejected}</td><td></td>
 *     <td>counters</td></tr>
 * <tr><td>{@code ofi4j.queue.waiting}, {@code .size}</td><td>{@code queue}</td>
 *     <td>gauges of {@link QueueStatistics}</td></tr>
 * <tr><td>{@code ofi4j.queue.reported}, {@code .lost}</td><td>{@code queue}</td>
 *     <td>counters</td></tr>
 * </table>
 *
 * <p>{@code result} is {@code success} or {@code failure}; {@code operation} is {@code send},
 * {@code receive}, {@code read}, {@code write}, {@code remote-read} or {@code remote-write}; {@code
 * direction} is {@code transmit} or {@code receive}; {@code by} is {@code self} or {@code peer};
 * {@code queue} is {@code completion} or {@code event}. Endpoints without connections of their own
 * have no meters of connections.
 *
 * <p>The tags of the caller tell one object from another, and have other names than the tags of the
 * table: {@code of} throws {@link Errno#EINVAL} if not. Registries keep the first of two meters of
 * one name and the same tags, and it stays there when the other is closed. Meters refer to the
 * object, and keep it from being collected, until {@link #close}. Of an object that is closed,
 * counters keep the value that they had when one of its meters was last read, or at the call of
 * {@code of} if none was; gauges have none. Safe to call from any thread.
 */
public final class FabricMetrics implements MeterBinder, AutoCloseable {
  /** Held while it is found out whether a registry has a meter already, and until it has it. */
  private static final Object REGISTERING = new Object();

  /**
   * The names of tags that the meters have. A caller's tag of such a name would be replaced, and
   * meters of two objects that it told apart would be one.
   */
  private static final Set<String> OWN_TAGS =
      Set.of("by", "direction", "operation", "queue", "result");

  /** Makes a meter at a registry. */
  private final List<Function<MeterRegistry, Meter>> makers = new ArrayList<>();

  /** What removes the meters that were made. */
  private final List<Runnable> removals = new ArrayList<>();

  private final Tags tags;

  private FabricMetrics(Iterable<Tag> tags) {
    this.tags = Tags.of(tags);
    for (Tag tag : this.tags) {
      if (OWN_TAGS.contains(tag.getKey())) {
        throw new FabricException(
            Errno.EINVAL,
            "tag %s=%s: the meters have tags of their own named %s; give yours another name"
                .formatted(
                    tag.getKey(), tag.getValue(), String.join(", ", new TreeSet<>(OWN_TAGS))));
      }
    }
  }

  /** What an object says of itself, or has said last. */
  private static final class Source<S> {
    private final FabricObject object;
    private final Supplier<S> statistics;
    private volatile S last;

    Source(FabricObject object, Supplier<S> statistics) {
      this.object = object;
      this.statistics = statistics;
      last = statistics.get();
    }

    /** The numbers of now; null if there are none any more. */
    private @Nullable S ask() {
      if (object.isOpen()) {
        try {
          S now = statistics.get();
          last = now;
          return now;
        } catch (FabricException closedOrDamaged) {
          return null;
        }
      }
      return null;
    }

    double now(ToLongFunction<S> number) {
      S now = ask();
      return now == null ? Double.NaN : number.applyAsLong(now);
    }

    double total(ToLongFunction<S> number) {
      S now = ask();
      return number.applyAsLong(now == null ? last : now);
    }
  }

  /** Adds meters of one source. */
  private final class Meters<S> {
    private final Source<S> source;

    Meters(FabricObject object, Supplier<S> statistics) {
      source = new Source<>(object, statistics);
    }

    void gauge(
        String name,
        @Nullable String unit,
        ToLongFunction<S> number,
        String what,
        String... furtherTags) {
      Tags all = tags.and(furtherTags);
      makers.add(registry ->
          Gauge.builder(name, source, from -> from.now(number))
              .strongReference(true)
              .baseUnit(unit)
              .description(what)
              .tags(all)
              .register(registry));
    }

    void counter(
        String name,
        @Nullable String unit,
        ToLongFunction<S> number,
        String what,
        String... furtherTags) {
      Tags all = tags.and(furtherTags);
      Source<S> from = source;
      // The registry holds what it passes weakly, and the function as long as the meter is there.
      makers.add(registry ->
          FunctionCounter.builder(name, from, _ -> from.total(number))
              .baseUnit(unit)
              .description(what)
              .tags(all)
              .register(registry));
    }
  }

  /**
   * Meters of a vector.
   *
   * @param vector the vector
   * @param tags what tells it from others
   * @return what binds them
   * @throws FabricException if the vector is closed, or a tag has a name that the meters use
   */
  public static FabricMetrics of(AddressVector vector, Iterable<Tag> tags) {
    FabricMetrics metrics = new FabricMetrics(tags);
    FabricMetrics.Meters<VectorStatistics> meters =
        metrics.new Meters<>(vector, vector::statistics);
    String prefix = "ofi4j.vector.";
    meters.gauge(prefix + "entries", null, VectorStatistics::entries, "Entries of the vector");
    meters.gauge(
        prefix + "capacity",
        null,
        VectorStatistics::capacity,
        "Entries that fit before more memory is taken");
    meters.gauge(
        prefix + "entries.max",
        null,
        VectorStatistics::highWaterMark,
        "The most entries that there ever were");
    meters.gauge(
        prefix + "memory.live", BYTES, s -> s.memory().live(), "Memory that the entries need");
    meters.gauge(
        prefix + "memory.held", BYTES, s -> s.memory().held(), "Memory taken from the system");
    meters.counter(
        prefix + "insertions",
        null,
        VectorStatistics::insertions,
        "Addresses that were to be inserted",
        "result",
        "success");
    meters.counter(
        prefix + "insertions",
        null,
        VectorStatistics::failedInsertions,
        "Addresses that were to be inserted",
        "result",
        "failure");
    meters.counter(prefix + "removals", null, VectorStatistics::removals, "Entries removed");
    return metrics;
  }

  /**
   * Meters of an endpoint, or of a context of a {@link ScalableEndpoint}.
   *
   * @param endpoint the endpoint
   * @param tags what tells it from others
   * @return what binds them
   * @throws FabricException if the endpoint is closed, or a tag has a name that the meters use
   */
  public static FabricMetrics of(Endpoint endpoint, Iterable<Tag> tags) {
    FabricMetrics metrics = new FabricMetrics(tags);
    FabricMetrics.Meters<EndpointStatistics> meters =
        metrics.new Meters<>(endpoint, endpoint::statistics);
    operations(meters, "send", EndpointStatistics::sends);
    operations(meters, "receive", EndpointStatistics::receives);
    operations(meters, "read", EndpointStatistics::reads);
    operations(meters, "write", EndpointStatistics::writes);
    operations(meters, "remote-read", EndpointStatistics::remoteReads);
    operations(meters, "remote-write", EndpointStatistics::remoteWrites);
    outstanding(meters, "transmit", EndpointStatistics::outstandingTransmits);
    outstanding(meters, "receive", EndpointStatistics::outstandingReceives);
    if (endpoint instanceof ReliableEndpoint || endpoint instanceof ConnectedEndpoint) {
      connections(meters, EndpointStatistics::connections);
    }
    return metrics;
  }

  /**
   * Meters of the connections of a scalable endpoint.
   *
   * @param endpoint the endpoint
   * @param tags what tells it from others
   * @return what binds them
   * @throws FabricException if the endpoint is closed, or a tag has a name that the meters use
   */
  public static FabricMetrics of(ScalableEndpoint endpoint, Iterable<Tag> tags) {
    FabricMetrics metrics = new FabricMetrics(tags);
    connections(
        metrics.new Meters<ConnectionStatistics>(endpoint, endpoint::statistics), same -> same);
    return metrics;
  }

  /**
   * Meters of a completion queue.
   *
   * @param queue the queue
   * @param tags what tells it from others
   * @return what binds them
   * @throws FabricException if the queue is closed, or a tag has a name that the meters use
   */
  public static FabricMetrics of(CompletionQueue queue, Iterable<Tag> tags) {
    return queue(queue, queue::statistics, "completion", tags);
  }

  /**
   * Meters of an event queue.
   *
   * @param queue the queue
   * @param tags what tells it from others
   * @return what binds them
   * @throws FabricException if the queue is closed, or a tag has a name that the meters use
   */
  public static FabricMetrics of(EventQueue queue, Iterable<Tag> tags) {
    return queue(queue, queue::statistics, "event", tags);
  }

  private static void operations(
      Meters<EndpointStatistics> meters,
      String operation,
      Function<EndpointStatistics, Operations> which) {
    String name = "ofi4j.endpoint.operations";
    String what = "Operations that have ended";
    meters.counter(
        name,
        null,
        s -> which.apply(s).succeeded(),
        what,
        "operation",
        operation,
        "result",
        "success");
    meters.counter(
        name,
        null,
        s -> which.apply(s).failed(),
        what,
        "operation",
        operation,
        "result",
        "failure");
    meters.counter(
        "ofi4j.endpoint.transferred",
        BYTES,
        s -> which.apply(s).bytes(),
        "Bytes of messages and memory that were moved",
        "operation",
        operation);
  }

  private static void outstanding(
      Meters<EndpointStatistics> meters,
      String direction,
      ToLongFunction<EndpointStatistics> number) {
    meters.gauge(
        "ofi4j.endpoint.outstanding",
        null,
        number,
        "Operations that were posted and not reported",
        "direction",
        direction);
  }

  private static <S> void connections(Meters<S> meters, Function<S, ConnectionStatistics> which) {
    String name = "ofi4j.endpoint.connections";
    String opened = "Connections that were opened";
    meters.gauge(name, null, s -> which.apply(s).open(), "Connections that are open");
    meters.counter(name + ".opened", null, s -> which.apply(s).made(), opened, "by", "self");
    meters.counter(name + ".opened", null, s -> which.apply(s).accepted(), opened, "by", "peer");
    meters.counter(
        name + ".failed", null, s -> which.apply(s).failed(), "Attempts to connect that failed");
    meters.counter(
        name + ".lost", null, s -> which.apply(s).lost(), "Connections that ended from without");
    meters.counter(
        name + ".rejected",
        null,
        s -> which.apply(s).rejected(),
        "Connections closed for what the peer sent");
  }

  private static FabricMetrics queue(
      FabricObject object, Supplier<QueueStatistics> statistics, String kind, Iterable<Tag> tags) {
    FabricMetrics metrics = new FabricMetrics(tags);
    FabricMetrics.Meters<QueueStatistics> meters = metrics.new Meters<>(object, statistics);
    String prefix = "ofi4j.queue.";
    meters.gauge(
        prefix + "waiting", null, QueueStatistics::waiting, "What waits to be read", "queue", kind);
    meters.gauge(prefix + "size", null, QueueStatistics::size, "What has room", "queue", kind);
    meters.counter(
        prefix + "reported", null, QueueStatistics::reported, "What was reported", "queue", kind);
    meters.counter(
        prefix + "lost", null, QueueStatistics::lost, "What found no room", "queue", kind);
    return metrics;
  }

  /**
   * Registers the meters. They may be bound to several registries.
   *
   * @param registry where they are read
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    synchronized (REGISTERING) {
      Set<Meter> there = new HashSet<>(registry.getMeters());
      for (Function<MeterRegistry, Meter> each : makers) {
        Meter meter = each.apply(registry);
        if (!there.contains(meter)) {
          removals.add(() -> registry.remove(meter));
        }
      }
    }
  }

  /** Removes the meters from all registries. The object itself stays as it is. */
  @Override
  public void close() {
    synchronized (REGISTERING) {
      removals.forEach(Runnable::run);
      removals.clear();
    }
  }
}
