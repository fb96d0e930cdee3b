// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.Endpoint;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.LoopbackRig;

/** One side of a conversation with several contexts, each with a queue of its own. */
final class ScalableRig extends LoopbackRig {
  static final int BITS = 4;

  /** A context and what has ended there. */
  abstract class Context implements AutoCloseable {
    final CompletionQueue queue = domain.openCompletionQueue();
    private final Deque<Completion> ended = new ArrayDeque<>();

    abstract Endpoint context();

    void move(Duration timeout) throws InterruptedException {
      queue.poll(collector(ended), 16, timeout);
    }

    /** The next completion; others move their data meanwhile. */
    Completion next(ScalableRig... others) throws InterruptedException {
      while (ended.isEmpty()) {
        move(Duration.ofMillis(1));
        for (ScalableRig other : others) {
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
          ScalableRig.this.endpoint.openTransmitContext(index, as.apply(ContextOptions.of(queue)));
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
          ScalableRig.this.endpoint.openReceiveContext(index, as.apply(ContextOptions.of(queue)));
    }

    @Override
    Endpoint context() {
      return endpoint;
    }
  }

  final ScalableEndpoint endpoint;
  final List<Transmit> transmits = new ArrayList<>();
  final List<Receive> receives = new ArrayList<>();

  /** The handles of its authorization keys. */
  final long[] authKeys;

  ScalableRig(Hints hints, int transmitContexts, int receiveContexts, byte[]... keys) {
    this(
        hints,
        transmitContexts,
        receiveContexts,
        ConnectionOptions.defaults().withConnectTimeout(PATIENCE),
        keys);
  }

  ScalableRig(
      Hints hints,
      int transmitContexts,
      int receiveContexts,
      ConnectionOptions connections,
      byte[]... keys) {
    super(
        hints
            .withContexts(transmitContexts, receiveContexts)
            .withMoreCapabilities(Capability.NAMED_RECEIVE_CONTEXT),
        VectorOptions.table().withReceiveContextBits(BITS),
        CompletionQueueOptions.defaults());
    authKeys = Arrays.stream(keys).mapToLong(vector::insertAuthKey).toArray();
    endpoint = domain.openScalableEndpoint(ScalableOptions.of(vector).withConnections(connections));
  }

  /** One of which all contexts are open. */
  static ScalableRig open(Hints hints, int transmitContexts, int receiveContexts) {
    ScalableRig rig = new ScalableRig(hints, transmitContexts, receiveContexts);
    rig.openContexts(transmitContexts, receiveContexts);
    return rig;
  }

  /** The same for one that holds authorization keys. */
  static ScalableRig holding(
      Hints hints, int transmitContexts, int receiveContexts, byte[]... keys) {
    ScalableRig rig =
        new ScalableRig(
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

  /** Inserts the address of another one under one of the own keys. */
  long insertUnder(long authKey, FabricAddress other) {
    return vector.insert(List.of(other), InsertOptions.none().withAuthKeys(authKey)).handles()[0];
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
    MemorySegment buffer = buffer(64);
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
  protected void closeEndpoints() {
    closeContexts();
    endpoint.close();
  }
}
