// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EarlyMessages;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.NodeService;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransportSecurity;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.LoopbackRig;

/** One side of a conversation over TCP: a domain, a vector, a queue and an endpoint. */
public final class TcpRig extends LoopbackRig {
  public final ReliableEndpoint endpoint;

  /** The handles of its authorization keys. */
  public final long[] authKeys;

  private final Deque<Completion> arrived = new ArrayDeque<>();

  public TcpRig(Hints hints) {
    this(hints, CompletionQueueOptions.defaults());
  }

  TcpRig(Hints hints, CompletionQueueOptions queueOptions) {
    this(hints, VectorOptions.table(), queueOptions);
  }

  /** One whose sends wait for a connection no longer than that. */
  TcpRig(Hints hints, Duration connectTimeout) {
    this(hints, connections(connectTimeout, null));
  }

  /** One whose connections are encrypted. */
  TcpRig(Hints hints, Duration connectTimeout, @Nullable TransportSecurity security) {
    this(hints, connections(connectTimeout, security));
  }

  TcpRig(Hints hints, VectorOptions vectorOptions, CompletionQueueOptions queueOptions) {
    this(hints, vectorOptions, queueOptions, options -> options);
  }

  /** One with other bounds of early messages. */
  TcpRig(Hints hints, EarlyMessages early) {
    this(hints, connections(PATIENCE, null).withEarlyMessages(early));
  }

  TcpRig(Hints hints, ConnectionOptions connections) {
    this(hints, options -> options.withConnections(connections));
  }

  /** One that is opened with more than a vector and a queue. */
  TcpRig(Hints hints, UnaryOperator<EndpointOptions> as) {
    this(hints, VectorOptions.table(), CompletionQueueOptions.defaults(), as);
  }

  private TcpRig(
      Hints hints,
      VectorOptions vectorOptions,
      CompletionQueueOptions queueOptions,
      UnaryOperator<EndpointOptions> as,
      byte[]... keys) {
    super(hints, vectorOptions, queueOptions);
    authKeys = Arrays.stream(keys).mapToLong(vector::insertAuthKey).toArray();
    EndpointOptions options =
        EndpointOptions.of(vector, queue).withConnections(connections(PATIENCE, null));
    endpoint = domain.openReliableEndpoint(as.apply(options));
  }

  private static ConnectionOptions connections(
      Duration connectTimeout, @Nullable TransportSecurity security) {
    ConnectionOptions options = ConnectionOptions.defaults().withConnectTimeout(connectTimeout);
    return security == null ? options : options.withSecurity(security);
  }

  /** One that holds authorization keys. */
  static TcpRig holding(Hints hints, byte[]... keys) {
    return holding(hints, VectorOptions.table(), PATIENCE, keys);
  }

  public static TcpRig holding(
      Hints hints, VectorOptions vectorOptions, Duration connectTimeout, byte[]... keys) {
    return holding(hints, vectorOptions, connectTimeout, null, keys);
  }

  /** The same with encrypted connections. */
  public static TcpRig holding(
      Hints hints, Duration connectTimeout, TransportSecurity security, byte[]... keys) {
    return holding(hints, VectorOptions.table(), connectTimeout, security, keys);
  }

  private static TcpRig holding(
      Hints hints,
      VectorOptions vectorOptions,
      Duration connectTimeout,
      @Nullable TransportSecurity security,
      byte[]... keys) {
    return new TcpRig(
        hints.withAuthKeys(AuthKeyHints.inVector()),
        vectorOptions,
        CompletionQueueOptions.defaults(),
        options -> options.withConnections(connections(connectTimeout, security)),
        keys);
  }

  /** A key like no other. */
  public static byte[] key(int number) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    Arrays.fill(key, (byte) (0x40 + number));
    key[0] = (byte) number;
    return key;
  }

  /** Inserts the address of another one under one of the own keys. */
  public long insertUnder(long authKey, FabricAddress other) {
    return vector.insert(List.of(other), InsertOptions.none().withAuthKeys(authKey)).handles()[0];
  }

  public static Hints hints(String node, Progress progress) {
    return at(node, "0", progress);
  }

  static Hints at(String node, String port, Progress progress) {
    return Hints.reliable()
        .withProvider("tcp")
        .withSource(new NodeService(node, port))
        .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .withProgress(progress);
  }

  /** Both families that this host has, with both kinds of progress. */
  public static List<Hints> kinds() {
    return kinds(TcpRig::hints);
  }

  public FabricAddress name() {
    return endpoint.address();
  }

  public long insert(TcpRig other) {
    return vector.insert(other.name());
  }

  /** The next completion, whichever kind it is; others move their data meanwhile. */
  public Completion next(TcpRig... others) throws InterruptedException {
    while (arrived.isEmpty()) {
      move(others.length == 0 ? PATIENCE : Duration.ofMillis(1));
      for (TcpRig other : others) {
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

  /** Moves data, and keeps what completes. */
  void move(Duration timeout) throws InterruptedException {
    queue.poll(collector(arrived), 16, timeout);
  }

  @Override
  protected void closeEndpoints() {
    endpoint.close();
  }
}
