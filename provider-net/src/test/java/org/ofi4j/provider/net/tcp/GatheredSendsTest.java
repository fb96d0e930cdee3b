// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Messages that are posted one after the other, and may wait for each other. */
class GatheredSendsTest {
  /**
   * Posted in a row; no multiple of those that go out together, and so few that the kernel takes
   * long messages too while the sender makes no progress.
   */
  private static final int ROW = 5 * TcpLimits.GATHERED + TcpLimits.GATHERED / 2;

  private static final Duration A_MOMENT = Duration.ofMillis(50);

  /** Two endpoints that are connected. Messages are numbered. */
  private static final class Pair implements AutoCloseable {
    final Rig from;
    final Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
    final ReliableEndpoint sender;
    final long peer;
    private final long back;
    private @Nullable Counter counter;
    private final Deque<Completion> completions = new ArrayDeque<>();
    private final MemorySegment buffer = Rig.buffer(TcpLimits.GATHERED_SIZE + 8);
    private int sent;
    private int received;
    private int reported;

    /** Sends through the endpoint of the sending side. */
    Pair(Progress progress) throws InterruptedException {
      from = Rig.reliable(Rig.tcp("127.0.0.1", progress));
      sender = from.endpoint();
      back = to.vector.insert(sender.address());
      peer = connect();
    }

    /**
     * Sends through another endpoint, of which successes are reported only if that is asked for.
     */
    static Pair selective() throws InterruptedException {
      Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
      return new Pair(
          from,
          EndpointOptions.none()
              .withVector(from.vector)
              .withSelectiveTransmitQueue(from.queue)
              .withSelectiveReceiveQueue(from.queue),
          null);
    }

    /** Sends through another endpoint, of which sends are only counted. */
    static Pair counting() throws InterruptedException {
      return counting(CounterFlag.SEND);
    }

    /** Sends through another endpoint, of which receives are reported and no sends counted. */
    static Pair untold() throws InterruptedException {
      return counting(CounterFlag.WRITE);
    }

    private static Pair counting(CounterFlag what) throws InterruptedException {
      Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
      Counter counter = from.domain.openCounter();
      return new Pair(
          from,
          EndpointOptions.none()
              .withVector(from.vector)
              .withReceiveQueue(from.queue)
              .withMoreCounters(counter, what),
          counter);
    }

    private Pair(Rig from, EndpointOptions options, @Nullable Counter counter)
        throws InterruptedException {
      this.from = from;
      this.counter = counter;
      sender = from.domain.openReliableEndpoint(options);
      back = to.vector.insert(sender.address());
      peer = connect();
    }

    private long connect() throws InterruptedException {
      long handle = from.vector.insert(to.name());
      to.endpoint().receive(buffer, null);
      sender.inject(Rig.message("hello"), handle);
      assertThat(to.next(from)).isInstanceOf(Completion.Success.class);
      return handle;
    }

    MemorySegment message(int size) {
      return MemorySegment.ofArray(new byte[size])
          .copyFrom(MemorySegment.ofArray(new int[] {sent++}));
    }

    void send() {
      sender.send(message(4), peer, null);
    }

    void send(UnaryOperator<SendRequest> as) {
      sender.send(as.apply(new SendRequest().memory(message(4)).destination(peer)));
    }

    /** Posts in a row, and receives what has come without any progress of the sender. */
    void sendRow() throws InterruptedException {
      for (int i = 0; i < ROW; i++) {
        send();
      }
      receive(A_MOMENT);
    }

    /** The same until some wait, however often the machine is busy with something else. */
    void sendUntilSomeWait() throws InterruptedException {
      sendRow();
      while (received == sent) {
        readCompletions();
        sendRow();
      }
      assertThat(sent - received).isLessThan(TcpLimits.GATHERED);
    }

    /** Takes what comes, in its order, until all is there or nothing comes for some time. */
    void receive(Duration timeout) throws InterruptedException {
      while (received < sent) {
        to.endpoint().receive(buffer, buffer);
        Completion completion = to.next(timeout);
        if (completion == null) {
          assertThat(to.endpoint().cancel(buffer)).isTrue();
          assertThat(to.next()).isInstanceOf(Completion.Failure.class);
          return;
        }
        assertThat(completion).isInstanceOf(Completion.Success.class);
        assertThat(buffer.get(ValueLayout.JAVA_INT, 0)).isEqualTo(received);
        received++;
      }
    }

    /** Makes progress; says how many sends were counted. */
    long count() {
      return Objects.requireNonNull(counter).read();
    }

    void receiveAll() throws InterruptedException {
      receive(Rig.PATIENCE);
      assertThat(received).isEqualTo(sent);
    }

    /** Reads until all sends have been reported, which makes progress. */
    void readCompletions() throws InterruptedException {
      while (reported < sent) {
        reported += from.queue.poll(Rig.collector(completions), 16, Rig.PATIENCE);
      }
      assertThat(completions).allMatch(Completion.Success.class::isInstance);
      completions.clear();
    }

    /** Something comes from the peer, when all sends have been reported. */
    void answer() throws InterruptedException {
      sender.receive(Rig.buffer(1), null);
      to.endpoint().inject(Rig.message("x"), back);
      assertThat(from.next()).isInstanceOf(Completion.Success.class);
    }

    @Override
    public void close() {
      if (!sender.equals(from.endpoint())) {
        sender.close();
      }
      if (counter != null) {
        counter.close();
      }
      from.close();
      to.close();
    }
  }

  @Test
  @DisplayName("Some wait for the next ones, until completions are read")
  void reading() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      for (int i = 0; i < 5; i++) {
        pair.sendUntilSomeWait();
        pair.readCompletions();
        pair.receiveAll();
      }
    }
  }

  @Test
  @DisplayName("Of longer ones no more wait than fit into a write")
  void longer() throws Exception {
    int fit = TcpLimits.GATHERED_BYTES / TcpLimits.GATHERED_SIZE;
    try (Pair pair = new Pair(Progress.MANUAL)) {
      int most = 0;
      for (int i = 0; i < 20 || most == 0; i++) {
        // How many have gone out decides how many are left.
        for (int j = 0; j < 2 * TcpLimits.ROW + i % fit; j++) {
          pair.sender.send(pair.message(TcpLimits.GATHERED_SIZE), pair.peer, null);
        }
        pair.receive(A_MOMENT);
        most = Math.max(most, pair.sent - pair.received);
        pair.readCompletions();
        pair.receiveAll();
      }
      assertThat(most).isLessThan(fit);
    }
  }

  @Test
  @DisplayName("Where sends are only counted, reading the counter has them go out")
  void counting() throws Exception {
    try (Pair pair = Pair.counting()) {
      pair.sendRow();
      while (pair.received == pair.sent) {
        pair.count();
        pair.sendRow();
      }
      pair.count();
      pair.receiveAll();
      // And the greeting.
      assertThat(pair.count()).isEqualTo(pair.sent + 1);
    }
  }

  /** Sends that do not wait. */
  enum AtOnce {
    INJECT_CALL,
    INJECT,
    TRANSMIT_COMPLETE,
    DELIVERY_COMPLETE,
    LONG;

    void send(Pair pair) {
      switch (this) {
        case INJECT_CALL -> pair.sender.inject(pair.message(4), pair.peer);
        case INJECT -> pair.send(request -> request.injected(true));
        case TRANSMIT_COMPLETE ->
            pair.send(request -> request.completes(CompletionLevel.TRANSMITTED));
        case DELIVERY_COMPLETE ->
            pair.send(request -> request.completes(CompletionLevel.DELIVERED));
        case LONG -> pair.sender.send(pair.message(TcpLimits.GATHERED_SIZE + 1), pair.peer, null);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("One that does not wait takes along what waits")
  void takesAlong(AtOnce kind) throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      pair.sendUntilSomeWait();
      kind.send(pair);
      pair.receiveAll();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("However many of them are posted in a row, none waits")
  void neverWait(AtOnce kind) throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      for (int i = 0; i < ROW; i++) {
        kind.send(pair);
      }
      pair.receiveAll();
    }
  }

  @Test
  @DisplayName("Those of which nothing is reported never wait")
  void silent() throws Exception {
    try (Pair pair = Pair.selective()) {
      for (int i = 0; i < ROW; i++) {
        pair.send();
      }
      pair.receiveAll();
    }
  }

  @Test
  @DisplayName("Nor do those that nobody can be told of")
  void untold() throws Exception {
    try (Pair pair = Pair.untold()) {
      for (int i = 0; i < ROW; i++) {
        pair.send();
      }
      pair.receiveAll();
    }
  }

  @Test
  void threadOfTheDomainWritesWhatWaits() throws Exception {
    try (Pair pair = new Pair(Progress.AUTO)) {
      for (int i = 0; i < 50; i++) {
        for (int j = 0; j < ROW + i; j++) {
          pair.send();
        }
        pair.receiveAll();
        pair.readCompletions();
      }
    }
  }

  @Test
  @DisplayName("The first one after completions were read does not wait")
  void first() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 2 * TcpLimits.ROW; j++) {
          pair.send();
        }
        pair.readCompletions();
        // Finds nothing, so it makes progress.
        assertThat(pair.from.queue.read()).isNull();
        pair.send();
        pair.receiveAll();
        pair.readCompletions();
      }
    }
  }

  @Test
  @DisplayName("Once something has come from the peer it takes as many again until one waits")
  void answered() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      for (int i = 0; i < 20; i++) {
        for (int j = 0; j < TcpLimits.ROW; j++) {
          pair.send();
        }
        pair.receiveAll();
        pair.readCompletions();
        pair.answer();
      }
    }
  }

  @Test
  @DisplayName("Where few come together none waits after some time, until many come again")
  void few() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      int withoutWaiting = 0;
      for (int i = 0; withoutWaiting < 5; i++) {
        assertThat(i).as("times that few came together").isLessThan(60);
        for (int j = 0; j < 500; j++) {
          for (int k = 1; k < TcpLimits.FEW_GATHERED; k++) {
            pair.send();
          }
          pair.readCompletions();
          assertThat(pair.from.queue.read()).isNull();
        }
        pair.receiveAll();
        pair.answer();
        pair.sendRow();
        withoutWaiting = pair.received == pair.sent ? withoutWaiting + 1 : 0;
        pair.readCompletions();
        pair.receiveAll();
      }
      for (int i = 0; pair.received == pair.sent; i++) {
        assertThat(i).as("times that many came together").isLessThan(60);
        for (int j = 0; j < 2 * TcpLimits.LONGEST_ROW; j++) {
          pair.send();
          if (j % ROW == 0) {
            pair.readCompletions();
          }
        }
        pair.readCompletions();
        pair.receiveAll();
        pair.answer();
        pair.sendRow();
      }
    }
  }

  @Test
  @DisplayName("A reader that sleeps is woken to send them")
  void sleeper() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      List<Throwable> failures = new ArrayList<>();
      int rows = 50;
      Thread sleeper =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  Completed completed = new Completed();
                  while (completed.count < rows * ROW) {
                    pair.from.queue.poll(completed, 16, Rig.PATIENCE);
                  }
                } catch (Throwable failed) {
                  failures.add(failed);
                }
              });
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < ROW; j++) {
          pair.send();
        }
        pair.receiveAll();
      }
      sleeper.join();
      assertThat(failures).isEmpty();
    }
  }

  @Test
  @DisplayName("Closing the endpoint sends them")
  void closing() throws Exception {
    try (Pair pair = new Pair(Progress.MANUAL)) {
      pair.sendUntilSomeWait();
      pair.from.endpoint().close();
      pair.receiveAll();
    }
  }

  @Test
  @DisplayName("Several threads post while another reads: all arrive, those of each in order")
  void threads() throws Exception {
    int threads = 4;
    int each = 5_000;
    try (Pair pair = new Pair(Progress.MANUAL)) {
      Thread[] posting = new Thread[threads];
      for (int i = 0; i < threads; i++) {
        int number = i;
        posting[i] =
            Thread.ofVirtual()
                .start(() -> {
                  for (int j = 0; j < each; j++) {
                    MemorySegment message = MemorySegment.ofArray(new int[] {number, j});
                    while (!pair.sender.trySend(message, pair.peer, null)) {
                      Thread.yield();
                    }
                  }
                });
      }
      Completed completed = new Completed();
      int[] next = new int[threads];
      for (int i = 0; i < threads * each; i++) {
        pair.to.endpoint().receive(pair.buffer, pair.buffer);
        Completion completion = pair.to.next(Duration.ZERO);
        while (completion == null) {
          pair.from.queue.poll(completed, 16);
          completion = pair.to.next(Duration.ZERO);
        }
        int number = pair.buffer.get(ValueLayout.JAVA_INT, 0);
        assertThat(pair.buffer.get(ValueLayout.JAVA_INT, 4)).isEqualTo(next[number]);
        next[number]++;
      }
      for (Thread thread : posting) {
        thread.join();
      }
      while (completed.count < threads * each) {
        pair.from.queue.poll(completed, 16);
      }
    }
  }
}
