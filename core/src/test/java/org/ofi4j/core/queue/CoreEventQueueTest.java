package org.ofi4j.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueueAttributes;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.core.testing.TestFabric;

@Tag("AV-219")
class CoreEventQueueTest {
  private final TestFabric fabric = new TestFabric();
  private final CoreEventQueue queue = open(4);

  private CoreEventQueue open(int size) {
    return new CoreEventQueue(fabric, fabric.lifetime(), new EventQueueAttributes(size, "context"));
  }

  private Event complete(long data) {
    return new Event.InsertionComplete(fabric, null, data);
  }

  private Event failure(long data) {
    return new Event.Failure(fabric, null, data, Errno.EINVAL, 0, "reason");
  }

  private static void fails(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }

  @Test
  void readsInOrderOnePerCall() {
    queue.post(complete(1));
    queue.post(complete(2));
    assertThat(queue.read()).isEqualTo(complete(1));
    assertThat(queue.read()).isEqualTo(complete(2));
    assertThat(queue.read()).isNull();
    assertThat(queue.context()).isEqualTo("context");
  }

  @Test
  void peekLeavesTheEvent() {
    queue.post(complete(1));
    assertThat(queue.peek()).isEqualTo(complete(1));
    assertThat(queue.peek()).isEqualTo(complete(1));
    assertThat(queue.read()).isEqualTo(complete(1));
    assertThat(queue.peek()).isNull();
  }

  @Test
  @Tag("AV-058")
  void failureIsReadAsError() throws InterruptedException {
    queue.post(complete(1));
    queue.post(failure(7));
    queue.post(complete(2));
    assertThat(queue.readError()).isNull(); // not its turn
    assertThat(queue.read()).isEqualTo(complete(1));
    fails(Errno.EAVAIL, queue::read);
    fails(Errno.EAVAIL, queue::peek);
    fails(Errno.EAVAIL, () -> queue.read(Duration.ofMillis(-1)));
    assertThat(queue.readError()).isEqualTo(failure(7));
    assertThat(queue.readError()).isNull();
    assertThat(queue.read(Duration.ZERO)).isEqualTo(complete(2));
  }

  @Test
  void pollDeliversFailuresInTheirPlaceUpToTheLimit() {
    queue.post(complete(1));
    queue.post(failure(2));
    queue.post(complete(3));
    List<Long> data = new ArrayList<>();
    assertThat(queue.poll(event -> data.add(event.data()), 2)).isEqualTo(2);
    assertThat(data).containsExactly(1L, 2L);
    assertThat(queue.poll(event -> data.add(event.data()), 9)).isEqualTo(1);
    assertThat(queue.poll(event -> data.add(event.data()), 9)).isZero();
    fails(Errno.EINVAL, () -> queue.poll(event -> {}, 0));
  }

  @Test
  void handlerMayUseTheQueue() {
    queue.post(complete(1));
    assertThat(
            queue.poll(
                event -> {
                  if (event.data() < 3) {
                    queue.post(complete(event.data() + 1));
                  }
                },
                10))
        .isEqualTo(3);
  }

  @Test
  void lossIsReportedOnceWhereItHappened() {
    for (int i = 0; i < 6; i++) {
      assertThat(queue.post(complete(i))).isEqualTo(i < 4);
    }
    assertThat(queue.read()).isEqualTo(complete(0));
    assertThat(queue.post(complete(9))).isTrue();
    List<Long> data = new ArrayList<>();
    assertThat(queue.poll(event -> data.add(event.data()), 9)).isEqualTo(3);
    assertThatThrownBy(queue::read)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOVERRUN))
        .hasMessageContaining("2 events");
    assertThat(queue.read()).isEqualTo(complete(9));
    assertThat(queue.read()).isNull();
  }

  @Test
  @Tag("AV-219")
  void peekLeavesTheLoss() {
    for (int i = 0; i < 5; i++) {
      queue.post(complete(i));
    }
    queue.poll(event -> {}, 4);
    for (int i = 0; i < 2; i++) {
      fails(Errno.EOVERRUN, queue::peek);
    }
    fails(Errno.EOVERRUN, queue::read);
    assertThat(queue.peek()).isNull();
  }

  @Test
  void waitingReaderGetsTheEvent() throws InterruptedException {
    Thread poster =
        Thread.startVirtualThread(() -> {
          sleep(30);
          queue.post(complete(5));
        });
    assertThat(queue.read(Duration.ofSeconds(-1))).isEqualTo(complete(5));
    poster.join();
    assertThat(queue.read(Duration.ofMillis(5))).isNull();
    assertThat(queue.read(Duration.ZERO)).isNull();
  }

  @Test
  void farAwayTimeoutsAreNoOverflow() throws InterruptedException {
    queue.post(complete(1));
    assertThat(queue.read(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(complete(1));
  }

  @Test
  void closeWakesWaitingReaders() throws InterruptedException {
    CountDownLatch woken = new CountDownLatch(2);
    AtomicReference<Object> seen = new AtomicReference<>("nothing");
    for (int i = 0; i < 2; i++) {
      Thread.startVirtualThread(() -> {
        try {
          seen.set(String.valueOf(queue.read(Duration.ofSeconds(-1))));
        } catch (Exception e) {
          seen.set(e);
        }
        woken.countDown();
      });
    }
    sleep(30);
    queue.close();
    assertThat(woken.await(5, TimeUnit.SECONDS)).isTrue();
    assertThat(seen).hasValue("null");
    fails(Errno.EINVAL, queue::read);
    fails(Errno.EINVAL, queue::readError);
    assertThat(queue.post(complete(1))).isFalse();
  }

  @Test
  void everyWaitingReaderLearnsOfAFailure() throws InterruptedException {
    CountDownLatch told = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      Thread.startVirtualThread(() -> {
        try {
          queue.read(Duration.ofSeconds(5));
        } catch (FabricException | InterruptedException failurePending) {
          told.countDown();
        }
      });
    }
    sleep(30);
    queue.post(failure(1));
    assertThat(told.await(4, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void fabricStaysOpenAsLongAsTheQueue() {
    assertThatThrownBy(fabric::close)
        .isInstanceOf(FabricBusyException.class)
        .hasMessageContaining("event queue");
    queue.close();
    fabric.close();
    fails(Errno.EINVAL, () -> open(1));
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
