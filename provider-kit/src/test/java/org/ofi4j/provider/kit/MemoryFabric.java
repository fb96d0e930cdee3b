// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.CounterFlag;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.ProgressEngine;

/**
 * A fabric with one domain, whose endpoints keep what is posted until a test ends it. Its transport
 * is polled, and polling runs what the test says.
 */
final class MemoryFabric implements FabricTransport {
  static final FabricAddress OWN = FabricAddress.parse("fi_sockaddr_in://192.0.2.1:1");

  /** The number of operations that an endpoint may have under way in one direction. */
  static final int SIZE = 2;

  static final int LONGEST = 64;
  static final int INJECTED = 16;

  static final class Posted extends Operation {}

  /** Both directions of an endpoint, with one lock. */
  final class Endpoint implements Transport, PolledProgress.Polled {
    final EndpointOpening opening;
    final List<Posted> sends = new ArrayList<>();
    final List<Posted> receives = new ArrayList<>();
    final ReentrantLock lock = new ReentrantLock();
    private final OperationPool<Posted> sending = new OperationPool<>(SIZE, Posted::new);
    private final OperationPool<Posted> receiving = new OperationPool<>(SIZE, Posted::new);
    PolledProgress.@Nullable Registration registration;

    Endpoint(EndpointOpening opening) {
      this.opening = opening;
    }

    /** Ends the first send that was posted. */
    void endSend() {
      lock.lock();
      try {
        Objects.requireNonNull(opening.sends()).report(sends.removeFirst());
      } finally {
        lock.unlock();
      }
    }

    /** Reports sends that found the queue full. */
    void reportKept() {
      lock.lock();
      try {
        Objects.requireNonNull(opening.sends()).reportKept();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public FabricAddress name() {
      return opening.info().source() == null ? OWN : opening.info().source();
    }

    @Override
    public @Nullable Transmitter transmitter() {
      return opening.sends() == null ? null : new Sends();
    }

    @Override
    public @Nullable Receiver receiver() {
      return opening.receives() == null ? null : new Receives();
    }

    @Override
    public void begin() {
      told.add("began");
      if (beginFails) {
        throw new IllegalStateException("cannot begin");
      }
      registration = progress.register(this, opening);
    }

    @Override
    public void poll() {
      onPoll.run();
    }

    @Override
    public void close() {
      told.add("closed");
      if (registration != null) {
        registration.close();
      }
    }

    private final class Sends implements Transmitter {
      @Override
      public void lock() {
        lock.lock();
      }

      @Override
      public void unlock() {
        lock.unlock();
      }

      @Override
      public @Nullable Operation take(CounterFlag what, boolean tagged, long peer) {
        return sending.take(what, tagged);
      }

      @Override
      public void post(Operation operation) {
        sends.add((Posted) operation);
      }

      @Override
      public long outstanding() {
        return sending.outstanding();
      }
    }

    private final class Receives implements Receiver {
      @Override
      public void lock() {
        lock.lock();
      }

      @Override
      public void unlock() {
        lock.unlock();
      }

      @Override
      public @Nullable Operation take(
          boolean tagged, long source, boolean directed, long flags, @Nullable Object context) {
        return receiving.take(CounterFlag.RECEIVE, tagged);
      }

      @Override
      public boolean post(Operation operation) {
        receives.add((Posted) operation);
        return true;
      }

      @Override
      public boolean cancel(@Nullable Object context) {
        return receives.removeIf(each -> Objects.equals(each.context, context));
      }

      @Override
      public long outstanding() {
        return receiving.outstanding();
      }
    }
  }

  final List<String> told = new ArrayList<>();
  final FabricInfo info;
  final KitFabric fabric;
  final Domain domain;
  final AddressVector vector;
  final CompletionQueue queue;
  final PolledProgress progress;
  boolean beginFails;
  final int dataSize;
  volatile Runnable onPoll = () -> {};
  private @Nullable Endpoint opened;

  private MemoryFabric(FabricInfo info, int queueSize, int dataSize, Duration pause) {
    this.info = info;
    this.dataSize = dataSize;
    progress = PolledProgress.open(info, pause);
    fabric = new KitFabric(info, this);
    domain = fabric.openDomain(info);
    vector = domain.openAddressVector(VectorOptions.table());
    queue = domain.openCompletionQueue(CompletionQueueOptions.defaults().withSize(queueSize));
  }

  /** Opens a fabric with manual progress. */
  static MemoryFabric open() {
    return open(Progress.MANUAL, 0);
  }

  /** Opens a fabric whose queue has a size. */
  static MemoryFabric open(Progress progress, int queueSize) {
    return new MemoryFabric(info(progress), queueSize, Long.BYTES, TestDomain.PATIENCE);
  }

  /** Opens a fabric that is polled after short pauses, whether it has changed or not. */
  static MemoryFabric polled(Progress progress) {
    return new MemoryFabric(info(progress), 0, Long.BYTES, Duration.ofMillis(1));
  }

  /** Opens a fabric that carries a number of bytes of immediate data. */
  static MemoryFabric withDataSize(int bytes) {
    return new MemoryFabric(info(Progress.MANUAL), 0, bytes, TestDomain.PATIENCE);
  }

  private static FabricInfo info(Progress progress) {
    FabricInfo base =
        TestInfo.defaults()
            .capabilities(
                Capability.TAGGED,
                Capability.RMA,
                Capability.SEND,
                Capability.RECEIVE,
                Capability.READ,
                Capability.WRITE)
            .build();
    return base.toBuilder()
        .domain(base.domain().toBuilder().progress(progress).build())
        .endpoint(
            base.endpoint().toBuilder().type(EndpointType.RDM).maxMessageSize(LONGEST).build())
        .transmit(
            FabricInfo.Transmit.builder()
                .size(SIZE)
                .injectSize(INJECTED)
                .iovLimit(2)
                .rmaIovLimit(2)
                .build())
        .receive(FabricInfo.Receive.builder().size(SIZE).iovLimit(2).build())
        .build();
  }

  ReliableEndpoint endpoint() {
    return endpoint(EndpointOptions.of(vector, queue));
  }

  ReliableEndpoint endpoint(EndpointOptions options) {
    return (ReliableEndpoint) domain.openEndpoint(options);
  }

  /** Returns the transport of the endpoint that was opened last. */
  Endpoint transport() {
    return Objects.requireNonNull(opened);
  }

  /** Returns the completions of what endpoints send. */
  Completions sends() {
    return Objects.requireNonNull(transport().opening.sends());
  }

  @Override
  public DomainTransport openDomain(Fabric of, FabricInfo domainInfo) {
    return new OpenDomain();
  }

  private final class OpenDomain implements DomainTransport {
    @Override
    public Transport open(EndpointOpening opening) {
      told.add("opened");
      Endpoint made = new Endpoint(opening);
      opened = made;
      return made;
    }

    @Override
    public ProgressEngine openProgress(int entries) {
      return progress.openEngine();
    }

    @Override
    public @Nullable Thread mover() {
      return progress.thread();
    }

    @Override
    public int dataSize() {
      return dataSize;
    }

    @Override
    public int maxQueueSize() {
      return SIZE;
    }

    @Override
    public void close() {
      progress.close();
    }
  }

  /**
   * Closes the queue, the vector, the domain and the fabric; an endpoint that is open holds them.
   */
  void closeAll() {
    queue.close();
    vector.close();
    domain.close();
    fabric.close();
  }
}
