// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** Close while other threads are inside: each call finishes or says that the vector is closed. */
@Tag("D-36")
class CloseRaceTest {
  @TempDir private Path directory;

  @RepeatedTest(10)
  void soDoLookupsInAFileThatWasSaved() throws InterruptedException {
    Path saved = directory.resolve("saved.av");
    try (CoreAddressVector vector = VectorFixture.table()) {
      for (int i = 0; i < 100; i++) {
        vector.insert(a(i + 1));
      }
      vector.insertSymmetric("10.9.0.1", 1000, "7000", 4);
      vector.save(saved);
    }
    Path again = directory.resolve("again.av");
    CoreAddressVector vector =
        VectorFixture.open(
            TestInfo.defaults(), VectorOptions.table().withSaved(saved).withFlags(VectorFlag.READ));
    FabricAddress inRun = vector.lookup(2000);
    MemorySegment one = packed(a(1));
    race(
        vector,
        List.of(
            i -> assertThat(vector.lookup(i % 50)).isEqualTo(a(i % 50 + 1)),
            i -> vector.lookup(100 + i % 4000, MemorySegment.ofArray(new byte[16])),
            i -> assertThat(vector.find(inRun)).isEqualTo(2000),
            i -> vector.peers().findSource(one, new MessageSource()),
            i -> vector.statistics(),
            i -> vector.save(again),
            i -> assertThat(vector.toString()).startsWith("address vector")));
  }

  @RepeatedTest(25)
  void everyCallFinishesOrSaysClosed() throws InterruptedException {
    CoreAddressVector vector = VectorFixture.open(TestInfo.defaults(), VectorOptions.table());
    for (int i = 0; i < 100; i++) {
      vector.insert(a(i + 1));
    }
    MemorySegment one = packed(a(1));
    race(
        vector,
        List.of(
            i -> assertThat(vector.lookup(i % 50)).isEqualTo(a(i % 50 + 1)),
            i -> vector.lookup(i % 50, MemorySegment.ofArray(new byte[16])),
            i -> assertThat(vector.find(a(i % 50 + 1))).isEqualTo(i % 50),
            i -> vector.peers().findSource(one, new MessageSource()),
            i -> vector.insert(a(1000 + i)),
            i -> vector.insertService("10.7.7.7", "80"),
            i -> vector.statistics(),
            i -> {
              vector.insert(one, 1, longs(0), null, 0, null);
              vector.remove(0);
            },
            i -> assertThat(vector.toString()).startsWith("address vector")));
  }

  private static void race(CoreAddressVector vector, List<IntConsumer> calls)
      throws InterruptedException {
    ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
    AtomicInteger closed = new AtomicInteger();
    CountDownLatch running = new CountDownLatch(calls.size());
    List<Thread> threads = new ArrayList<>();
    for (IntConsumer call : calls) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                running.countDown();
                try {
                  for (int i = 0; i < 1_000_000 && !(i > 0 && !vector.isOpen()); i++) {
                    call.accept(i);
                  }
                  call.accept(0);
                  closed.incrementAndGet(); // toString alone goes on working
                } catch (FabricException e) {
                  if (e.errno() != Errno.EINVAL || !e.getMessage().contains("is closed")) {
                    wrong.add(e);
                  }
                  closed.incrementAndGet();
                } catch (Throwable e) {
                  wrong.add(e);
                }
              }));
    }
    running.await();
    Thread.sleep(1);
    vector.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).isEmpty();
    assertThat(closed).hasValue(calls.size());
  }
}
