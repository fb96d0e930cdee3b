// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.NodeService;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransportSecurity;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.kit.KitDomain;

/**
 * One side of a conversation: a domain with a vector, a queue whose completions are kept, and
 * endpoints that are closed with it. The hints select the provider.
 */
public final class Rig implements AutoCloseable {
  /**
   * How long tests wait for an event that has to come: longer than JUnit lets any test run. A
   * slower machine needs more time, and JUnit's timeout prints what each thread waits for.
   */
  public static final Duration PATIENCE = Duration.ofDays(1);

  /** The memory that endpoints of tests share; any suite of tests may run over it. */
  private static final int SHARED_MEMORY = Integer.getInteger("ofi4j.test.sharedMemory", 0);

  public final Fabric fabric;
  public final Domain domain;
  public final AddressVector vector;
  public final CompletionQueue queue;

  /** The handles of its authorization keys. */
  public final long[] authKeys;

  /** Endpoints and event queues, the last one first. */
  private final Deque<FabricObject> opened = new ArrayDeque<>();

  private final Deque<Completion> arrived = new ArrayDeque<>();
  private @Nullable ReliableEndpoint endpoint;
  private @Nullable EventQueue events;

  /** A rig without endpoint. */
  public Rig(Hints hints) {
    this(hints, VectorOptions.table(), CompletionQueueOptions.defaults());
  }

  /** A rig without endpoint. */
  public Rig(
      Hints hints,
      VectorOptions vectorOptions,
      CompletionQueueOptions queueOptions,
      byte[]... keys) {
    fabric = Fabrics.open(hints);
    domain = fabric.openDomain();
    vector = domain.openAddressVector(vectorOptions);
    queue = domain.openCompletionQueue(queueOptions);
    authKeys = Arrays.stream(keys).mapToLong(vector::insertAuthKey).toArray();
  }

  // Rigs with a reliable endpoint.

  public static Rig reliable(Hints hints) {
    return reliable(hints, CompletionQueueOptions.defaults());
  }

  public static Rig reliable(Hints hints, CompletionQueueOptions queueOptions) {
    return reliable(hints, VectorOptions.table(), queueOptions);
  }

  public static Rig reliable(
      Hints hints, VectorOptions vectorOptions, CompletionQueueOptions queueOptions) {
    return new Rig(hints, vectorOptions, queueOptions).withEndpoint(options -> options);
  }

  /** A rig whose sends wait for a connection no longer than the given time. */
  public static Rig reliable(Hints hints, Duration connectTimeout) {
    return reliable(hints, connections(connectTimeout, null));
  }

  /** A rig whose connections are encrypted. */
  public static Rig reliable(
      Hints hints, Duration connectTimeout, @Nullable TransportSecurity security) {
    return reliable(hints, connections(connectTimeout, security));
  }

  /** A rig with other bounds of early messages. */
  public static Rig reliable(Hints hints, EarlyMessages early) {
    return reliable(hints, connections(PATIENCE, null).withEarlyMessages(early));
  }

  public static Rig reliable(Hints hints, ConnectionOptions connections) {
    return reliable(hints, options -> options.withConnections(connections));
  }

  /** A rig whose endpoint is opened with more than a vector and a queue. */
  public static Rig reliable(Hints hints, UnaryOperator<EndpointOptions> as) {
    return new Rig(hints).withEndpoint(as);
  }

  /** A rig whose endpoint reports events, such as lost peers. */
  public static Rig watching(Hints hints, ConnectionOptions connections) {
    Rig rig = new Rig(hints);
    EventQueue events = rig.keep(rig.fabric.openEventQueue(EventQueueOptions.defaults()));
    rig.events = events;
    return rig.withEndpoint(options -> options.withEvents(events).withConnections(connections));
  }

  /**
   * A watching rig over tcp on 127.0.0.1 that closes idle connections.
   *
   * @param idle after how many milliseconds; 0 for never
   * @param security null for connections in the clear
   */
  public static Rig idle(Progress progress, int idle, @Nullable TransportSecurity security) {
    ConnectionOptions connections = connections(PATIENCE, security);
    return watching(
        tcp("127.0.0.1", progress).withMoreCapabilities(Capability.RMA),
        idle == 0 ? connections : connections.withIdleTimeout(Duration.ofMillis(idle)));
  }

  /** A rig that holds authorization keys. */
  public static Rig holding(Hints hints, byte[]... keys) {
    return holding(hints, VectorOptions.table(), PATIENCE, keys);
  }

  public static Rig holding(
      Hints hints, VectorOptions vectorOptions, Duration connectTimeout, byte[]... keys) {
    return holding(hints, vectorOptions, connections(connectTimeout, null), keys);
  }

  /** A rig that holds authorization keys, and whose connections are encrypted. */
  public static Rig holding(
      Hints hints, Duration connectTimeout, TransportSecurity security, byte[]... keys) {
    return holding(hints, VectorOptions.table(), connections(connectTimeout, security), keys);
  }

  private static Rig holding(
      Hints hints, VectorOptions vectorOptions, ConnectionOptions connections, byte[]... keys) {
    return new Rig(
            hints.withAuthKeys(AuthKeyHints.inVector()),
            vectorOptions,
            CompletionQueueOptions.defaults(),
            keys)
        .withEndpoint(options -> options.withConnections(connections));
  }

  private static ConnectionOptions connections(
      Duration connectTimeout, @Nullable TransportSecurity security) {
    ConnectionOptions options =
        ConnectionOptions.defaults()
            .withConnectTimeout(connectTimeout)
            .withSharedMemory(SHARED_MEMORY);
    return security == null ? options : options.withSecurity(security);
  }

  private Rig withEndpoint(UnaryOperator<EndpointOptions> as) {
    EndpointOptions options =
        EndpointOptions.of(vector, queue).withConnections(connections(PATIENCE, null));
    endpoint = keep(domain.openReliableEndpoint(as.apply(options)));
    return this;
  }

  // Hints.

  /** Hints for datagrams over the loopback interface. */
  public static Hints udp(String node) {
    return Hints.latest().withProvider("udp").withSource(new NodeService(node, "0"));
  }

  public static Hints udp() {
    return udp("127.0.0.1");
  }

  public static Hints withSource(Hints hints, Capability... more) {
    return hints.withCapabilities(Capability.MSG, Capability.SOURCE).withMoreCapabilities(more);
  }

  /** Loopback nodes of the families that this host has. */
  static List<String> nodes() {
    return List.of("127.0.0.1", "::1").stream()
        .filter(node -> !Fabrics.info(udp(node)).offers().isEmpty())
        .toList();
  }

  public static Hints tcp(String node, Progress progress) {
    return tcp(node, "0", progress);
  }

  public static Hints tcp(String node, String port, Progress progress) {
    return Hints.reliable()
        .withProvider("tcp")
        .withSource(new NodeService(node, port))
        .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .withProgress(progress);
  }

  public static List<Hints> udpKinds() {
    return kinds((node, progress) -> udp(node).withProgress(progress));
  }

  public static List<Hints> tcpKinds() {
    return kinds(Rig::tcp);
  }

  /** Both families that this host has, with both kinds of progress. */
  public static List<Hints> kinds(BiFunction<String, Progress, Hints> hints) {
    List<Hints> kinds = new ArrayList<>();
    for (String node : List.of("127.0.0.1", "::1")) {
      for (Progress progress : List.of(Progress.MANUAL, Progress.AUTO)) {
        Hints kind = hints.apply(node, progress);
        if (!Fabrics.info(kind).offers().isEmpty()) {
          kinds.add(kind);
        }
      }
    }
    return kinds;
  }

  // Endpoints and peers.

  /** The endpoint that the rig was opened with. */
  public ReliableEndpoint endpoint() {
    return Objects.requireNonNull(endpoint);
  }

  /** Opens an endpoint for datagrams. */
  public DatagramEndpoint datagrams() {
    return datagrams(domain.info());
  }

  public DatagramEndpoint datagrams(FabricInfo info) {
    return datagrams(info, EndpointOptions.of(vector, queue));
  }

  public DatagramEndpoint datagrams(FabricInfo info, EndpointOptions options) {
    return keep(domain.openDatagramEndpoint(info, options));
  }

  /** Has an object closed with the rig, before the objects that were kept earlier. */
  public <T extends FabricObject> T keep(T object) {
    opened.push(object);
    return object;
  }

  /** Returns the thread of the domain that makes automatic progress. */
  public Thread mover() {
    return Objects.requireNonNull(((KitDomain) domain).transport().mover());
  }

  public FabricAddress name() {
    return endpoint().address();
  }

  public int port() {
    return ((FabricAddress.SocketAddress4) name()).toSocketAddress().getPort();
  }

  public long insert(Rig other) {
    return vector.insert(other.name());
  }

  public long insert(Endpoint peer) {
    return vector.insert(peer.address());
  }

  /** A key unlike those of other numbers. */
  public static byte[] key(int number) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    Arrays.fill(key, (byte) (0x40 + number));
    key[0] = (byte) number;
    return key;
  }

  /** Inserts an address under a key of the rig. */
  public long insertUnder(long authKey, FabricAddress other) {
    return vector.insert(List.of(other), InsertOptions.none().withAuthKeys(authKey)).handles()[0];
  }

  // Completions and events.

  /** The next completion, of either kind; others move their data concurrently. */
  public Completion next(Rig... others) throws InterruptedException {
    while (arrived.isEmpty()) {
      move(others.length == 0 ? PATIENCE : Duration.ofMillis(1));
      for (Rig other : others) {
        other.move(Duration.ZERO);
      }
    }
    return arrived.removeFirst();
  }

  /** The next completion, if there is one within a time. */
  public @Nullable Completion next(Duration timeout) throws InterruptedException {
    if (arrived.isEmpty()) {
      move(timeout);
    }
    return arrived.pollFirst();
  }

  /** The next completion with a context; other completions are dropped. */
  public Completion nextOf(Object context) throws InterruptedException {
    Completion next = next();
    while (next.context() != context) {
      next = next();
    }
    return next;
  }

  /** Returns a completion that has to be a success. */
  public static Completion.Success success(@Nullable Completion completion) {
    if (completion instanceof Completion.Success success) {
      return success;
    }
    throw new AssertionError("expected a success, but got " + completion);
  }

  /** Returns how many bytes a receive got, which may have failed. */
  public static long length(Completion received) {
    return switch (received) {
      case Completion.Success success -> success.length();
      case Completion.Failure failure -> failure.length();
    };
  }

  /** Returns the source of a receive, which may have failed. */
  public static long source(Completion received) {
    return switch (received) {
      case Completion.Success success -> success.source();
      case Completion.Failure failure -> failure.source();
    };
  }

  /** A completion that has been kept, if there is one. */
  public @Nullable Completion poll() {
    return arrived.pollFirst();
  }

  /** Moves data, and keeps what completes. */
  public void move(Duration timeout) throws InterruptedException {
    queue.poll(collector(arrived), 16, timeout);
  }

  public EventQueue events() {
    return Objects.requireNonNull(events);
  }

  public Event nextEvent() throws InterruptedException {
    return Objects.requireNonNull(events().read(PATIENCE));
  }

  /** Takes every completion, of either kind, into a collection. */
  public static CompletionHandler collector(Collection<Completion> into) {
    return new CompletionHandler() {
      @Override
      public void completed(
          @Nullable Object context, long flags, long length, long data, long tag, long source) {
        into.add(
            Completion.Success.of(context, flags)
                .length(length)
                .data(data)
                .tag(tag)
                .source(source)
                .build());
      }

      @Override
      public void failed(Completion.Failure failure) {
        into.add(failure);
      }
    };
  }

  // Messages.

  public static MemorySegment buffer(long size) {
    return Arena.ofAuto().allocate(size);
  }

  public static MemorySegment message(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String text(MemorySegment buffer, long length) {
    return new String(
        buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    opened.forEach(FabricObject::close);
    queue.close();
    vector.close();
    domain.close();
    fabric.close();
  }
}
