// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.ReliableEndpoint;

/**
 * A domain with a vector, a queue, and endpoints that are bound to both. It is used in JVMs that
 * have to start quickly too, and so asserts without a library.
 */
final class Rig implements AutoCloseable {
  /**
   * How long tests wait for an event that has to come: longer than JUnit lets any test run. A
   * slower machine needs more time, and JUnit's timeout, or that of {@link Scenarios}, prints what
   * each thread waits for.
   */
  static final Duration PATIENCE = Duration.ofDays(1);

  final Fabric fabric;
  final Domain domain;
  final AddressVector vector;
  final CompletionQueue queue;
  private final Deque<Completion> arrived = new ArrayDeque<>();

  private final CompletionHandler collector =
      new CompletionHandler() {
        @Override
        public void completed(
            @Nullable Object context, long flags, long length, long data, long tag, long source) {
          arrived.add(
              Completion.Success.of(context, flags)
                  .length(length)
                  .data(data)
                  .tag(tag)
                  .source(source)
                  .build());
        }

        @Override
        public void failed(Completion.Failure failure) {
          arrived.add(failure);
        }
      };

  Rig(Hints hints) {
    fabric = Fabrics.open(hints);
    domain = fabric.openDomain();
    vector = domain.openAddressVector();
    queue = domain.openCompletionQueue();
  }

  /** Hints for reliable endpoints of a provider, all of whose addresses are of this host. */
  static Hints hints(String provider) {
    Hints hints = Hints.reliable().withProvider(provider);
    return provider.equals("shm") ? hints : hints.withSource("127.0.0.1:0");
  }

  ReliableEndpoint endpoint() {
    return endpoint(EndpointOptions.of(vector, queue));
  }

  /** One that is closed with the rig. */
  ReliableEndpoint endpoint(EndpointOptions options) {
    return domain.openReliableEndpoint(options);
  }

  long insert(Endpoint peer) {
    return vector.insert(peer.address());
  }

  /** The next completion, whichever kind it is. */
  Completion next() throws InterruptedException {
    return Objects.requireNonNull(next(PATIENCE));
  }

  /** The next completion, if there is one within a time. */
  @Nullable Completion next(Duration timeout) throws InterruptedException {
    if (arrived.isEmpty()) {
      queue.poll(collector, 16, timeout);
    }
    return arrived.pollFirst();
  }

  /** The completion of an operation; those of others are kept for later. */
  Completion next(Object context) throws InterruptedException {
    List<Completion> others = new ArrayList<>();
    Completion found = next();
    while (found.context() != context) {
      others.add(found);
      found = next();
    }
    others.reversed().forEach(arrived::addFirst);
    return found;
  }

  /** The completion of an operation that has to succeed. */
  Completion.Success success(Object context) throws InterruptedException {
    Completion next = next(context);
    if (next instanceof Completion.Success success) {
      return success;
    }
    throw new AssertionError("it has failed: " + next);
  }

  /** The completion of an operation that has to fail. */
  Completion.Failure failure(Object context) throws InterruptedException {
    Completion next = next(context);
    if (next instanceof Completion.Failure failure) {
      return failure;
    }
    throw new AssertionError("it has succeeded: " + next);
  }

  /** Moves data without waiting, and keeps what completes. */
  void move() {
    queue.poll(collector, 16);
  }

  /** Memory outside the heap. */
  static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 8);
  }

  /** Bytes that no message with another seed has. */
  static MemorySegment pattern(MemorySegment memory, int seed) {
    for (long i = 0; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, expected(seed, i));
    }
    return memory;
  }

  /** Checks every byte. */
  static void assertPattern(MemorySegment memory, long length, int seed) {
    for (long i = 0; i < length; i++) {
      byte found = memory.get(ValueLayout.JAVA_BYTE, i);
      if (found != expected(seed, i)) {
        throw new AssertionError(
            "byte %s of %s is %s instead of %s".formatted(i, length, found, expected(seed, i)));
      }
    }
  }

  private static byte expected(int seed, long at) {
    return (byte) (31 * seed + 7 * at + (at >>> 8) + 1);
  }

  @Override
  public void close() {
    fabric.closeAll();
  }
}
