// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueueAttributes;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Progress;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.LoopbackRig;

/** One side of a conversation over TCP: a domain, a vector, a queue and an endpoint. */
public final class TcpRig extends LoopbackRig {
  /** How long a completion that has to come may take on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  public final Endpoint endpoint;

  /** The handles of its authorization keys. */
  public final long[] authKeys;

  private final Deque<Completion> arrived = new ArrayDeque<>();

  public TcpRig(Hints hints) {
    this(hints, CompletionQueueAttributes.defaults());
  }

  TcpRig(Hints hints, CompletionQueueAttributes attributes) {
    this(hints, AvAttributes.table(), attributes, SOON, null);
  }

  /** One whose sends wait for a connection no longer than that. */
  TcpRig(Hints hints, Duration connectTimeout) {
    this(hints, connectTimeout, null);
  }

  /** One whose connections are encrypted. */
  TcpRig(Hints hints, Duration connectTimeout, @Nullable TransportSecurity security) {
    this(
        hints,
        AvAttributes.table(),
        CompletionQueueAttributes.defaults(),
        connectTimeout,
        security);
  }

  TcpRig(Hints hints, AvAttributes vectorAttributes, CompletionQueueAttributes attributes) {
    this(hints, vectorAttributes, attributes, SOON, null);
  }

  /** One with other bounds of early messages. */
  TcpRig(Hints hints, EarlyMessages early) {
    super(hints, AvAttributes.table(), CompletionQueueAttributes.defaults());
    authKeys = new long[0];
    endpoint = domain.openEndpoint();
    endpoint.bind(vector);
    endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
    endpoint.earlyMessages(early);
    endpoint.enable();
  }

  private TcpRig(
      Hints hints,
      AvAttributes vectorAttributes,
      CompletionQueueAttributes attributes,
      Duration connectTimeout,
      @Nullable TransportSecurity security,
      byte[]... keys) {
    super(hints, vectorAttributes, attributes);
    authKeys = Arrays.stream(keys).mapToLong(vector::insertAuthKey).toArray();
    endpoint = domain.openEndpoint();
    endpoint.bind(vector);
    endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
    endpoint.connectTimeout(connectTimeout);
    if (security != null) {
      endpoint.secure(security);
    }
    endpoint.enable();
  }

  /** One that holds authorization keys. */
  static TcpRig holding(Hints hints, byte[]... keys) {
    return holding(hints, AvAttributes.table(), SOON, keys);
  }

  public static TcpRig holding(
      Hints hints, AvAttributes vectorAttributes, Duration connectTimeout, byte[]... keys) {
    return holding(hints, vectorAttributes, connectTimeout, null, keys);
  }

  /** The same with encrypted connections. */
  public static TcpRig holding(
      Hints hints, Duration connectTimeout, TransportSecurity security, byte[]... keys) {
    return holding(hints, AvAttributes.table(), connectTimeout, security, keys);
  }

  private static TcpRig holding(
      Hints hints,
      AvAttributes vectorAttributes,
      Duration connectTimeout,
      @Nullable TransportSecurity security,
      byte[]... keys) {
    return new TcpRig(
        hints.withAuthKeySize(FabricInfo.DomainAttributes.KEYS_IN_VECTOR),
        vectorAttributes,
        CompletionQueueAttributes.defaults(),
        connectTimeout,
        security,
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
    return Hints.latest()
        .withProvider("tcp")
        .withEndpointType(EndpointType.RDM)
        .withAddress(node, port)
        .withFlags(InfoFlag.SOURCE)
        .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .withProgress(progress);
  }

  /** Both families that this host has, with both kinds of progress. */
  public static List<Hints> kinds() {
    return kinds(TcpRig::hints);
  }

  public FabricAddress name() {
    return endpoint.name();
  }

  public long insert(TcpRig other) {
    return vector.insert(other.name());
  }

  /** The next completion, whichever kind it is; others move their data meanwhile. */
  public Completion next(TcpRig... others) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (arrived.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("no completion within " + PATIENCE);
      }
      move(others.length == 0 ? SOON : Duration.ofMillis(1));
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
