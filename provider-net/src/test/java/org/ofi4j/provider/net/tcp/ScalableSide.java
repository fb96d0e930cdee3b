// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.Rig;

/** A rig with a scalable endpoint and its contexts, each of which has a queue of its own. */
final class ScalableSide implements AutoCloseable {
  static final int BITS = 4;

  private final Rig rig;
  final Domain domain;
  final AddressVector vector;
  final CompletionQueue queue;
  final long[] authKeys;

  /** A context and what has ended there. */
  abstract class Context implements AutoCloseable {
    final CompletionQueue queue = domain.openCompletionQueue();
    private final Deque<Completion> ended = new ArrayDeque<>();

    abstract Endpoint context();

    void move(Duration timeout) throws InterruptedException {
      queue.poll(Rig.collector(ended), 16, timeout);
    }

    /** The next completion; others move their data meanwhile. */
    Completion next(ScalableSide... others) throws InterruptedException {
      while (ended.isEmpty()) {
        move(Duration.ofMillis(1));
        for (ScalableSide other : others) {
          other.move();
        }
      }
      return ended.removeFirst();
    }

    /** The next completion if there is one. */
    @Nullable Completion poll() throws InterruptedException {
      if (ended.isEmpty()) {
        move(Duration.ZERO);
      }
      return ended.pollFirst();
    }

    @Override
    public void close() {
      context().close();
      queue.close();
    }
  }

  /** A context that sends. */
  final class Transmit extends Context {
    final TransmitContext endpoint;

    Transmit(int index, UnaryOperator<ContextOptions> as) {
      endpoint =
          ScalableSide.this.endpoint.openTransmitContext(index, as.apply(ContextOptions.of(queue)));
    }

    @Override
    Endpoint context() {
      return endpoint;
    }
  }

  /** A context that receives. */
  final class Receive extends Context {
    final ReceiveContext endpoint;

    Receive(int index, UnaryOperator<ContextOptions> as) {
      endpoint =
          ScalableSide.this.endpoint.openReceiveContext(index, as.apply(ContextOptions.of(queue)));
    }

    @Override
    Endpoint context() {
      return endpoint;
    }
  }

  final ScalableEndpoint endpoint;
  final List<Transmit> transmits = new ArrayList<>();
  final List<Receive> receives = new ArrayList<>();

  ScalableSide(Hints hints, int transmitContexts, int receiveContexts, byte[]... keys) {
    this(
        hints,
        transmitContexts,
        receiveContexts,
        ConnectionOptions.defaults().withConnectTimeout(Rig.PATIENCE),
        keys);
  }

  ScalableSide(
      Hints hints,
      int transmitContexts,
      int receiveContexts,
      ConnectionOptions connections,
      byte[]... keys) {
    rig =
        new Rig(
            hints
                .withTransmitContexts(transmitContexts)
                .withReceiveContexts(receiveContexts)
                .withMoreCapabilities(Capability.NAMED_RECEIVE_CONTEXT),
            VectorOptions.table().withReceiveContextBits(BITS),
            CompletionQueueOptions.defaults(),
            keys);
    domain = rig.domain;
    vector = rig.vector;
    queue = rig.queue;
    authKeys = rig.authKeys;
    endpoint = domain.openScalableEndpoint(ScalableOptions.of(vector).withConnections(connections));
  }

  /** One of which all contexts are open. */
  static ScalableSide open(Hints hints, int transmitContexts, int receiveContexts) {
    ScalableSide rig = new ScalableSide(hints, transmitContexts, receiveContexts);
    rig.openContexts(transmitContexts, receiveContexts);
    return rig;
  }

  /** The same for one that holds authorization keys. */
  static ScalableSide holding(
      Hints hints, int transmitContexts, int receiveContexts, byte[]... keys) {
    ScalableSide rig =
        new ScalableSide(
            hints.withAuthKeys(AuthKeyHints.inVector()), transmitContexts, receiveContexts, keys);
    rig.openContexts(transmitContexts, receiveContexts);
    return rig;
  }

  private void openContexts(int transmitContexts, int receiveContexts) {
    for (int i = 0; i < transmitContexts; i++) {
      openTransmit(i);
    }
    for (int i = 0; i < receiveContexts; i++) {
      openReceive(i);
    }
  }

  long insertUnder(long authKey, FabricAddress other) {
    return rig.insertUnder(authKey, other);
  }

  Transmit openTransmit(int index) {
    transmits.add(new Transmit(index, options -> options));
    return transmits.getLast();
  }

  Receive openReceive(int index) {
    return openReceive(index, options -> options);
  }

  Receive openReceive(int index, UnaryOperator<ContextOptions> as) {
    receives.add(new Receive(index, as));
    return receives.getLast();
  }

  FabricAddress name() {
    return endpoint.address();
  }

  static long at(long handle, int context) {
    return Handles.atReceiveContext(handle, context, BITS);
  }

  /** Moves data once. */
  void move() throws InterruptedException {
    for (Context each : transmits) {
      each.move(Duration.ZERO);
    }
    for (Context each : receives) {
      each.move(Duration.ZERO);
    }
  }

  /** Posts a buffer to a receive context. */
  MemorySegment post(int context, Object posted) {
    MemorySegment buffer = Rig.buffer(64);
    receives.get(context).endpoint.receive(buffer, posted);
    return buffer;
  }

  void closeContexts() {
    transmits.forEach(Context::close);
    receives.forEach(Context::close);
    transmits.clear();
    receives.clear();
  }

  @Override
  public void close() {
    closeContexts();
    endpoint.close();
    rig.close();
  }
}
