// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** Several threads on one vector: what each sees has to make sense by itself. */
@ConformanceTest
class ConcurrencyTests extends AddressTests {
  private static final int ROUNDS = 8_000;

  private static CompletableFuture<Void> start(Runnable work) {
    return CompletableFuture.runAsync(work, task -> Thread.ofPlatform().start(task));
  }

  private static <T> CompletableFuture<T> ask(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofPlatform().start(task));
  }

  @Proves(partly = {"AV-136", "AV-183", "AV-126"})
  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR_IN6", "STR"})
  void aLookupSeesAnEntryWholeOrNotAtAll(AddressFormat format, ConformanceEnvironment environment)
      throws InterruptedException {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(format));
    AtomicBoolean done = new AtomicBoolean();
    vector.insert(twin(format, 0));
    CountDownLatch reading = new CountDownLatch(2);
    List<CompletableFuture<Long>> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(
          ask(() -> {
            long seen = 0;
            while (!done.get()) {
              seen += checkTwin(vector, 1) + checkTwin(vector, 2) + checkTwin(vector, 0);
              reading.countDown();
            }
            return seen;
          }));
    }
    try {
      reading.await(); // On a busy machine the threads may start late.
      for (int i = 1; i <= ROUNDS; i++) {
        assertThat(vector.insert(twin(format, i))).isEqualTo(1);
        assertThat(vector.insert(twin(format, -i))).isEqualTo(2);
        vector.remove(new long[] {1, 2});
      }
    } finally {
      done.set(true);
    }
    for (CompletableFuture<Long> reader : readers) {
      assertThat(reader.join()).as("entries seen").isPositive();
    }
    assertThat(vector.size()).isEqualTo(1);
  }

  /** Both halves of the address, the port, and the scope where it is kept, say the same number. */
  private static FabricAddress twin(AddressFormat format, int i) {
    FabricAddress twin =
        new SocketAddress6(
            0x2001_0DB8_0000_0000L + Integer.toUnsignedLong(i), i, 1 + (i & 0x7FFF), 0, i);
    return format == AddressFormat.STR ? new TextAddress(twin.toText()) : twin;
  }

  private static int checkTwin(AddressVector vector, long handle) {
    FabricAddress found;
    try {
      found = vector.lookup(handle);
    } catch (FabricException unset) {
      assertThat(unset.errno()).isEqualTo(Errno.EINVAL);
      return 0;
    }
    SocketAddress6 six = (SocketAddress6) FabricAddress.parse(found.toText());
    assertThat(found).as("torn entry").isEqualTo(twin(vector.format(), (int) six.low()));
    return 1;
  }

  @Proves(partly = "AV-178")
  @Test
  void findNeverMissesAnAddressThatIsThereThroughout(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT, VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX));
    FabricAddress address = a(1);
    vector.insert(List.of(address, address, address));
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Long> reader =
        ask(() -> {
          long missed = 0;
          while (!done.get()) {
            missed += vector.find(address) == Handles.NOT_AVAILABLE ? 1 : 0;
          }
          return missed;
        });
    try {
      for (int i = 0; i < 3 * ROUNDS; i++) {
        vector.remove(vector.find(address));
        vector.insert(address);
      }
    } finally {
      done.set(true);
    }
    assertThat(reader.join()).as("times that none of three entries was found").isZero();
  }

  @Proves(partly = {"AV-083", "AV-201"})
  @Test
  void insertionsOfSeveralThreadsTakeTurns(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    int threads = 4;
    int each = 5000;
    List<CompletableFuture<long[]>> workers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int thread = t;
      workers.add(
          ask(() -> {
            long[] handles = new long[each];
            for (int i = 0; i < each; i++) {
              handles[i] = vector.insert(ipv4(0x0A000000 + thread * each + i, 5000));
            }
            return handles;
          }));
    }
    boolean[] taken = new boolean[threads * each];
    for (int t = 0; t < threads; t++) {
      long[] handles = workers.get(t).join();
      for (int i = 0; i < each; i++) {
        assertThat(taken[(int) handles[i]]).as("handle %s given twice", handles[i]).isFalse();
        taken[(int) handles[i]] = true;
        assertThat(vector.lookup(handles[i])).isEqualTo(ipv4(0x0A000000 + t * each + i, 5000));
      }
    }
    assertThat(vector.size()).isEqualTo(taken.length);
  }

  @Proves(partly = {"AV-178", "AV-180"})
  @Test
  void sharedDuplicatesAreCountedAcrossThreads(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    FabricAddress contested = a(1);
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      workers.add(
          start(() -> {
            for (int i = 0; i < 5000; i++) {
              long handle = vector.insert(contested);
              assertThat(vector.lookup(handle)).isEqualTo(contested);
              vector.remove(handle);
            }
          }));
    }
    workers.forEach(CompletableFuture::join);

    assertThat(vector.size()).isZero();
    assertThat(vector.find(contested)).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves(partly = {"AV-067", "AV-070"})
  @Test
  void closingBesideCallsEndsThem(ConformanceEnvironment environment) {
    for (int round = 0; round < 50; round++) {
      AddressVector vector = environment.vector();
      vector.insert(a(1));
      CompletableFuture<Void> caller =
          start(() -> {
            int i = 2;
            try {
              while (true) {
                vector.lookup(0);
                vector.insert(a(i++));
                vector.find(a(1));
              }
            } catch (FabricException closed) {
              assertThat(closed.errno()).isEqualTo(Errno.EINVAL);
            }
          });
      for (int spin = 0; spin < round * 20; spin++) {
        Thread.onSpinWait();
      }
      vector.close();
      caller.join();
      assertThat(vector.isOpen()).isFalse();
    }
  }

  /** A sender and a receiver of one thread, with queues of their own on a shared vector. */
  private static final class Worker {
    private static final long DEADLINE = 50_000_000_000L;

    private final AddressVector vector;
    private final CompletionQueue queue;
    private final MessageEndpoint sender;
    private final MessageEndpoint receiver;

    Worker(AddressVector vector, ConformanceEnvironment environment) {
      this.vector = vector;
      Domain domain = vector.domain();
      queue = environment.completionQueue(domain);
      EndpointOptions options = EndpointOptions.of(vector, queue);
      sender = environment.endpoint(domain, options);
      receiver = environment.endpoint(domain, options);
    }

    /** Sends, checking before each send that the handle still says what it said. */
    void run(int rounds) {
      try (Arena arena = Arena.ofShared()) { // a progress thread writes there too
        FabricAddress target = receiver.address();
        MemorySegment expected = MemorySegment.ofArray(target.toBytes());
        MemorySegment found = arena.allocate(64);
        MemorySegment message = arena.allocate(8);
        MemorySegment buffer = arena.allocate(8);
        long handle = vector.insert(target);
        for (int round = 0; round < rounds; round++) {
          if (round % 5 == 4) {
            vector.remove(handle);
            handle = vector.insert(target);
          }
          int length = vector.lookup(handle, found);
          assertThat(found.asSlice(0, length).mismatch(expected)).isEqualTo(-1);
          message.set(ValueLayout.JAVA_LONG, 0, round);
          receiver.receive(buffer, "in");
          sender.send(message, handle, "out");
          awaitBoth();
          assertThat(buffer.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(round);
        }
      }
    }

    private void awaitBoth() {
      long deadline = System.nanoTime() + DEADLINE;
      int seen = 0;
      while (seen < 2) {
        Completion.Success completion = queue.read();
        if (completion != null) {
          seen++;
        } else if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("a message or its completion is missing");
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }

  @Proves(partly = {"AV-129", "AV-180", "AV-136"})
  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"AUTO", "MANUAL"})
  void multiEpStress(Progress progress, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.of(ApiVersion.V2_1).caps(Capability.MSG, Capability.SOURCE).progress(progress),
            VectorOptions.table());
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      workers.add(new Worker(vector, environment));
    }
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> churn =
        start(() -> {
          int i = 0;
          while (!done.get()) {
            long[] handles = vector.insertSymmetric("10.1.1.1", 1 + i++ % 50, "5000", 3).handles();
            vector.remove(handles);
          }
        });
    try {
      workers.stream()
          .map(worker -> start(() -> worker.run(300)))
          .toList()
          .forEach(CompletableFuture::join);
    } finally {
      done.set(true);
    }
    churn.join();
    assertThat(vector.size()).isEqualTo(3);
  }
}
