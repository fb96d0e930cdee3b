// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ProgressThread;

/** Automatic progress, where readers that wait and the domain's thread lead in turn. */
class LeadersTest {
  private static final long WITHOUT_END = Long.MAX_VALUE / 4;
  private static final int ROUNDS = 200;
  private static final int MESSAGES = 2_000;
  private static final int SOURCES = 4;

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final ProgressThread thread = new ProgressThread("test");
  private final List<Pair> pairs = new ArrayList<>();

  /** A pipe whose bytes are messages, and the queue that they arrive in. */
  private static final class Pair extends IdleTarget {
    private final ByteBuffer sent = ByteBuffer.allocate(1);
    private final ByteBuffer received = ByteBuffer.allocate(1);
    private final Queue<Thread> movers = new ConcurrentLinkedQueue<>();
    private final AutomaticProgress engine;
    private final Pipe pipe;

    Pair(ProgressThread thread) throws IOException {
      engine = new AutomaticProgress(thread);
      pipe = Pipe.open();
      pipe.source().configureBlocking(false);
      engine.add(this);
    }

    void write() throws IOException {
      pipe.sink().write(sent.clear());
    }

    @Override
    public void progress() {
      try {
        if (pipe.source().read(received.clear()) > 0) {
          movers.add(Thread.currentThread());
          engine.wake();
        }
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }

    @Override
    public void prepare(Selector selector) {
      try {
        pipe.source().register(selector, SelectionKey.OP_READ, this);
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }

    /** Waits for a message, as readers of a queue do; returns the thread that moved it. */
    Thread read() {
      Thread mover = movers.poll();
      while (mover == null) {
        engine.await(WITHOUT_END);
        mover = movers.poll();
      }
      return mover;
    }

    void close() throws IOException {
      pipe.sink().close();
      pipe.source().close();
    }
  }

  private Pair pair() throws IOException {
    Pair made = new Pair(thread);
    pairs.add(made);
    return made;
  }

  @AfterEach
  void close() throws IOException {
    thread.stop();
    for (Pair each : pairs) {
      each.close();
    }
  }

  /** Sends messages to a reader until it moves one itself. */
  private static void haveReaderLead(Pair pair, ExecutorService reader) throws Exception {
    Thread wanted = reader.submit(Thread::currentThread).get();
    @Nullable Thread mover = null;
    while (!wanted.equals(mover)) {
      Future<Thread> moved = reader.submit(pair::read);
      pair.write();
      mover = moved.get();
    }
  }

  @Test
  void readerThatWaitsAloneMovesTheData() throws Exception {
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      haveReaderLead(pair(), reader);
    }
  }

  @Test
  void threadMovesTheDataForVirtualThreads() throws Exception {
    Pair pair = pair();
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        Future<Thread> moved = readers.submit(pair::read);
        pair.write();
        assertThat(moved.get()).isEqualTo(thread.thread());
      }
    }
  }

  @Test
  void threadMovesTheDataWhileNoReaderWaits() throws Exception {
    Pair pair = pair();
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      haveReaderLead(pair, reader);
      pair.write();
      Thread mover = pair.movers.poll();
      while (mover == null) {
        Thread.onSpinWait();
        mover = pair.movers.poll();
      }
      assertThat(mover).isEqualTo(thread.thread());
    }
  }

  @Test
  void namedEndpointIsLookedAtAfterAReaderHasLed() throws Exception {
    Pair pair = pair();
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        haveReaderLead(pair, reader);
        CountDownLatch looks = new CountDownLatch(1);
        thread.look(
            new IdleTarget() {
              @Override
              public void progress() {
                looks.countDown();
              }
            });
        looks.await();
      }
    }
  }

  @Test
  void readerThatALeaderLeavesBehindIsServed() throws Exception {
    Pair first = pair();
    Pair second = pair();
    try (ExecutorService readers = Executors.newCachedThreadPool()) {
      for (int i = 0; i < ROUNDS; i++) {
        Future<Thread> one = readers.submit(first::read);
        Future<Thread> other = readers.submit(second::read);
        boolean inOrder = i % 2 == 0;
        (inOrder ? first : second).write();
        (inOrder ? one : other).get();
        (inOrder ? second : first).write();
        (inOrder ? other : one).get();
      }
    }
  }

  @Test
  void wakeOfAnotherThreadEndsTheWaitOfALeader() throws Exception {
    Pair pair = pair();
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        haveReaderLead(pair, reader);
        Future<?> waits = reader.submit(() -> pair.engine.await(WITHOUT_END));
        pair.engine.wake();
        waits.get();
      }
    }
  }

  @Test
  void interruptEndsTheWaitOfALeader() throws Exception {
    Pair pair = pair();
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        haveReaderLead(pair, reader);
        reader.submit(() -> pair.engine.await(WITHOUT_END)).cancel(true);
      }
    }
  }

  @Test
  void channelsAreForgottenWhoeverLeads() throws Exception {
    Pair pair = pair();
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        haveReaderLead(pair, reader);
        thread.forget();
        Future<Thread> waits = reader.submit(pair::read);
        thread.forget();
        pair.write();
        waits.get();
      }
    }
  }

  /** Readers of several queues, in platform threads and a virtual one, while all else goes on. */
  @Test
  void readersMissNothing() throws Exception {
    System.out.println("leaders: -Dofi4j.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    List<Future<?>> readers = new ArrayList<>();
    try (ExecutorService platform = Executors.newCachedThreadPool();
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < SOURCES; i++) {
        Pair pair = pair();
        SplittableRandom own = random.split();
        readers.add((i == 0 ? virtual : platform).submit(() -> readAll(pair, own)));
      }
      while (!readers.stream().allMatch(Future::isDone)) {
        thread.forget();
        Pair any = pairs.get(random.nextInt(SOURCES));
        any.engine.wake();
        thread.look(any);
      }
      for (Future<?> each : readers) {
        each.get();
      }
    }
  }

  private static @Nullable Object readAll(Pair pair, SplittableRandom random) throws IOException {
    for (int read = 0; read < MESSAGES; ) {
      int some = 1 + random.nextInt(3);
      for (int i = 0; i < some; i++) {
        pair.write();
      }
      if (random.nextInt(4) == 0) {
        pair.engine.await(1 + random.nextInt(100_000));
      }
      for (int i = 0; i < some; i++, read++) {
        pair.read();
      }
    }
    return null;
  }
}
