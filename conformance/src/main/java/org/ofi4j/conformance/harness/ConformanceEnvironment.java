// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.historic.HistoricVector;

/**
 * Everything that a test opens. What is still open when the test ends gets closed, newest first;
 * something that cannot be closed then fails the test.
 *
 * <p>What the provider does not offer aborts the test, which then counts neither for nor against
 * its rules.
 */
public final class ConformanceEnvironment implements AutoCloseable {
  private final Contender contender;
  private final Supplier<OtherProcess> others;
  private @Nullable OtherProcess used;
  private final Deque<FabricObject> opened = new ArrayDeque<>();
  private final List<Peer> peers = new ArrayList<>();
  private final List<Gate> gates = new ArrayList<>();

  ConformanceEnvironment(Contender contender, Supplier<OtherProcess> others) {
    this.contender = contender;
    this.others = others;
  }

  /** A second JVM with nothing open. */
  public OtherProcess otherProcess() {
    OtherProcess other = others.get().meanwhile(this::progress);
    used = other;
    return other;
  }

  /** A second JVM that has opened the same domain as this one. */
  public OtherProcess otherProcess(Setup setup, Domain domain) {
    OtherProcess other = otherProcess();
    other.domain(setup, domain.info());
    return other;
  }

  /** How long to wait for something that has to happen. */
  public Duration patience() {
    return contender.patience();
  }

  /** What the contender answers to hints; asks only the provider under test. */
  public InfoAnswer answer(Hints hints) {
    return contender.answer(hints);
  }

  /** The best offer for a setup; aborts the test if there is none. */
  public FabricInfo info(Setup setup) {
    return info(setup.hints());
  }

  /** The best offer for hints; aborts the test if there is none. */
  public FabricInfo info(Hints hints) {
    return contender.info(hints);
  }

  public Fabric fabric(FabricInfo info) {
    return keep(Fabrics.open(info));
  }

  /** Opens a domain on a fabric of its own. */
  public Domain domain(Setup setup) {
    return domain(info(setup));
  }

  public Domain domain(Hints hints) {
    return domain(info(hints));
  }

  public Domain domain(FabricInfo info) {
    return keep(fabric(info).openDomain(info));
  }

  /** Opens another domain of the same fabric. */
  public Domain domain(Fabric fabric) {
    return keep(fabric.openDomain());
  }

  /** Opens a synchronous TABLE vector. */
  public AddressVector vector() {
    return vector(Setup.DEFAULT);
  }

  /** The same of a setup. */
  public AddressVector vector(Setup setup) {
    return vector(setup, VectorOptions.table());
  }

  /** Opens a vector in a domain of its own. */
  public AddressVector vector(Setup setup, VectorOptions options) {
    return vector(domain(setup), options);
  }

  public AddressVector vector(Domain domain) {
    return vector(domain, VectorOptions.table());
  }

  public AddressVector vector(Domain domain, VectorOptions options) {
    return keep(domain.openAddressVector(options));
  }

  /** Opens an asynchronous TABLE vector, bound to a queue; see {@link AsyncVector}. */
  public AsyncVector asyncVector(Setup setup) {
    return asyncVector(setup, VectorOptions.table());
  }

  /** Opens an asynchronous vector, bound to a queue; see {@link AsyncVector}. */
  public AsyncVector asyncVector(Setup setup, VectorOptions options) {
    AddressVector vector = unboundVector(domain(setup), options);
    return new AsyncVector(vector, bind(vector));
  }

  /** Opens an asynchronous TABLE vector that has no queue yet. */
  public AddressVector unboundVector(Domain domain) {
    return unboundVector(domain, VectorOptions.table());
  }

  @SuppressWarnings("deprecation") // Deprecated by the man page, yet to be kept working (AV-008).
  private AddressVector unboundVector(Domain domain, VectorOptions options) {
    return vector(domain, options.withFlags(options.flags() | VectorFlag.EVENT.mask()));
  }

  /** Binds an asynchronous vector to a queue of its own, and gives what reads that. */
  @SuppressWarnings("deprecation") // As above (AV-074).
  public EventReader bind(AddressVector vector) {
    EventQueue queue = eventQueue(vector);
    HistoricVector.of(vector).bind(queue, 0);
    return new EventReader(queue, patience());
  }

  /** A resolver that is shut; it is opened at the latest when the test ends. */
  public Gate gate() {
    Gate gate = new Gate();
    gates.add(gate);
    return gate;
  }

  /** Opens an event queue of the fabric that a vector belongs to. */
  public EventQueue eventQueue(AddressVector vector) {
    return eventQueue(vector.domain().fabric());
  }

  public EventQueue eventQueue(Fabric fabric) {
    return keep(fabric.openEventQueue());
  }

  public CompletionQueue completionQueue(Domain domain) {
    return keep(domain.openCompletionQueue());
  }

  /** Opens an endpoint on the loopback interface, unless options say where. */
  public MessageEndpoint endpoint(Domain domain, EndpointOptions options) {
    return keep(domain.openEndpoint(Loopback.at(domain.info()), options));
  }

  /** Opens a scalable endpoint on the loopback interface, without contexts yet. */
  public ScalableEndpoint scalableEndpoint(AddressVector vector) {
    Domain domain = vector.domain();
    ScalableOptions options = ScalableOptions.of(vector);
    return keep(domain.openScalableEndpoint(Loopback.at(domain.info()), options));
  }

  /** Opens an endpoint on the loopback interface with a queue of its own. */
  public Peer peer(AddressVector vector) {
    return peer(vector, UnaryOperator.identity());
  }

  /** The same with a TABLE vector of its own. */
  public Peer peer(Domain domain) {
    return peer(vector(domain));
  }

  /** The same in the domain of another peer. */
  public Peer neighbour(Peer other) {
    return peer(other.vector().domain());
  }

  /**
   * Opens a peer at a given address. Aborts the test if the provider gives the endpoint another
   * address, as libfabric's {@code shm} does with names that it has generated.
   */
  public Peer peer(AddressVector vector, FabricAddress address) {
    Peer opened = peer(vector, options -> options.withAddress(address));
    Assumptions.assumeTrue(
        opened.name().equals(address), "not offered: an endpoint at the address of a former one");
    return opened;
  }

  /** The same with further options. */
  public Peer peer(AddressVector vector, UnaryOperator<EndpointOptions> further) {
    CompletionQueue queue = completionQueue(vector.domain());
    EndpointOptions options = further.apply(EndpointOptions.of(vector, queue));
    Peer peer = new Peer(this, endpoint(vector.domain(), options), queue, vector);
    peers.add(peer);
    return peer;
  }

  /** Has an object closed when the test ends. */
  public <T extends FabricObject> T keep(T object) {
    synchronized (opened) {
      opened.push(object);
    }
    return object;
  }

  /** Lets all peers make progress. */
  void progress() {
    for (Peer peer : List.copyOf(peers)) {
      peer.collect();
    }
  }

  /**
   * Waits for something that has to happen, driving all peers meanwhile.
   *
   * @param source gives null until it happened
   */
  public <T> T await(String what, Supplier<? extends @Nullable T> source) {
    long deadline = System.nanoTime() + patience().toNanos();
    while (true) {
      progress();
      T got = source.get();
      if (got != null) {
        return got;
      }
      if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
        throw new AssertionError("waited in vain for " + what + " during " + patience());
      }
      LockSupport.parkNanos(50_000);
    }
  }

  /** Waits until a condition holds that has to come true. */
  public void awaitThat(String what, Supplier<Boolean> condition) {
    await(what, () -> condition.get() ? Boolean.TRUE : null);
  }

  /**
   * Closes whatever is still open, again and again as long as that changes something, because a
   * test may have opened things in any order.
   */
  @Override
  public void close() {
    gates.forEach(Gate::open);
    OtherProcess other = used;
    if (other != null && other.isAlive() && !other.reset()) {
      other.close();
    }
    List<FabricObject> left;
    synchronized (opened) {
      left = new ArrayList<>(opened);
    }
    FabricBusyException busy = null;
    int before;
    do {
      before = left.size();
      List<FabricObject> still = new ArrayList<>();
      for (FabricObject object : left) {
        try {
          object.close();
        } catch (FabricBusyException inUse) {
          busy = inUse;
          still.add(object);
        }
      }
      left = still;
    } while (!left.isEmpty() && left.size() < before);
    if (!left.isEmpty()) {
      throw new AssertionError("cannot be closed at the end of the test: " + left, busy);
    }
  }
}
