// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.core.testing.TestDomain;

@Tag("AV-006")
@Tag("AV-110")
class NameResolutionTest {
  private static final InetAddress IPV4 = InetAddress.ofLiteral("10.0.0.1");
  private static final InetAddress IPV6 = InetAddress.ofLiteral("2001:db8::1");

  private static NameResolution resolution(AddressResolver resolver, Duration timeout) {
    return new NameResolution(resolver, AddressFormat.SOCKADDR, timeout);
  }

  private static NameResolution resolution(AddressFormat format, InetAddress... addresses) {
    return new NameResolution(host -> List.of(addresses), format, TestDomain.PATIENCE);
  }

  private static HostAddress one(NameResolution resolution) throws InterruptedException {
    return resolution.resolve(1, i -> "host")[0];
  }

  @Test
  void familyIsTheFormats() throws InterruptedException {
    assertThat(one(resolution(AddressFormat.SOCKADDR_IN, IPV6, IPV4)))
        .isEqualTo(new HostAddress.Found(IPV4));
    assertThat(one(resolution(AddressFormat.SOCKADDR_IN6, IPV4, IPV6)))
        .isEqualTo(new HostAddress.Found(IPV6));
    for (AddressFormat both :
        List.of(AddressFormat.SOCKADDR, AddressFormat.SOCKADDR_IP, AddressFormat.STR)) {
      assertThat(one(resolution(both, IPV6, IPV4))).isEqualTo(new HostAddress.Found(IPV6));
    }
    assertThat(one(resolution(AddressFormat.SOCKADDR_IN, IPV6)))
        .isInstanceOfSatisfying(
            Failure.class,
            missing -> assertThat(missing.reason()).contains("no address of format SOCKADDR_IN"));
    assertThat(one(resolution(AddressFormat.SOCKADDR))).isInstanceOf(Failure.class);
  }

  @Test
  void manyAtOnceAndInOrder() throws InterruptedException {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(8);
    NameResolution resolution =
        resolution(
            host -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              together.countDown();
              together.await();
              running.decrementAndGet();
              return List.of(InetAddress.ofLiteral("10.0.0." + host));
            },
            TestDomain.PATIENCE);
    HostAddress[] answers = resolution.resolve(200, Integer::toString);
    for (int i = 0; i < 200; i++) {
      assertThat(answers[i]).isEqualTo(new HostAddress.Found(InetAddress.ofLiteral("10.0.0." + i)));
    }
    assertThat(most.get()).isBetween(8, 64);
  }

  @Test
  void failuresStayWithTheirNames() throws InterruptedException {
    NameResolution resolution =
        resolution(
            host ->
                switch (host) {
                  case "0" -> throw new UnknownHostException(host);
                  case "1" -> throw new IllegalStateException("broken");
                  case "2" -> throw new AssertionError("worse");
                  case "3" -> List.of();
                  case "4" -> nothing();
                  default -> List.of(IPV4);
                },
            TestDomain.PATIENCE);
    HostAddress[] answers = resolution.resolve(6, Integer::toString);
    for (int i = 0; i < 5; i++) {
      assertThat(answers[i]).as("host " + i).isInstanceOf(Failure.class);
      assertThat(((Failure) answers[i]).reason()).contains("\"" + i + "\"");
    }
    assertThat(((Failure) answers[0]).reason()).contains("not known");
    assertThat(((Failure) answers[1]).reason()).contains("broken");
    assertThat(answers[5]).isEqualTo(new HostAddress.Found(IPV4));
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  void nameOutOfTimeIsGivenUpAndInterrupted() throws InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    NameResolution resolution =
        resolution(
            host -> {
              if (host.equals("1")) {
                try {
                  new CountDownLatch(1).await();
                } finally {
                  interrupted.countDown();
                }
              }
              return List.of(IPV4);
            },
            // Enough for the other names on any machine.
            Duration.ofSeconds(1));
    HostAddress[] answers = resolution.resolve(3, Integer::toString);
    assertThat(answers[0]).isInstanceOf(HostAddress.Found.class);
    assertThat(((Failure) answers[1]).reason()).contains("did not resolve within");
    assertThat(answers[2]).isInstanceOf(HostAddress.Found.class);
    interrupted.await();
  }

  @Test
  void resolverThatHearsNoInterruptHoldsNobodyUp() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    NameResolution resolution =
        resolution(
            host -> {
              while (never.getCount() > 0) {
                try {
                  never.await();
                } catch (InterruptedException ignored) {
                  // stubborn
                }
              }
              return List.of(IPV4);
            },
            Duration.ofMillis(20));
    HostAddress[] answers = resolution.resolve(100, Integer::toString);
    assertThat(answers).allMatch(Failure.class::isInstance);
    never.countDown();
  }

  @Test
  void callerThatIsInterruptedGivesUp() throws InterruptedException {
    CountDownLatch resolving = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    NameResolution resolution =
        resolution(
            host -> {
              resolving.countDown();
              try {
                Thread.sleep(TestDomain.PATIENCE);
              } finally {
                interrupted.countDown();
              }
              return List.of(IPV4);
            },
            TestDomain.PATIENCE);
    Thread caller = Thread.currentThread();
    Thread.startVirtualThread(() -> {
      try {
        resolving.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      caller.interrupt();
    });
    assertThatThrownBy(() -> one(resolution)).isInstanceOf(InterruptedException.class);
    interrupted.await();
  }

  @Test
  @DisplayName("Calls share so many threads; names wait for a place, and their time begins there")
  void callsShareThreads() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(5);
    Semaphore places = new Semaphore(5, true);
    AtomicLong now = new AtomicLong();
    Duration timeout = Duration.ofHours(1);
    NameResolution shared =
        new NameResolution(
            host -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              together.countDown();
              together.await();
              running.decrementAndGet();
              return List.of(IPV4);
            },
            Thread.ofVirtual().factory(),
            places,
            AddressFormat.SOCKADDR,
            timeout,
            now::get);
    places.acquire(5);
    try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<HostAddress[]>> all = new ArrayList<>();
      for (int call = 0; call < 40; call++) {
        int names = call % 2 == 0 ? 1 : 40;
        all.add(calls.submit(() -> shared.resolve(names, i -> "host")));
      }
      await().forever().until(() -> places.getQueueLength() == 40);
      // Nobody has time left who had begun to count it.
      now.set(timeout.toNanos() + 1);
      places.release(5);
      for (Future<HostAddress[]> each : all) {
        assertThat(each.get()).allMatch(HostAddress.Found.class::isInstance);
      }
    }
    assertThat(most.get()).isEqualTo(5);
    await().forever().until(() -> places.availablePermits() == 5);
  }

  @Test
  @DisplayName(
      "Who waits for a place can be interrupted, and a thread that does not start frees it")
  void placesComeBack() throws InterruptedException {
    Semaphore none = new Semaphore(0, true);
    NameResolution waiting =
        new NameResolution(
            host -> List.of(IPV4),
            Thread.ofVirtual().factory(),
            none,
            AddressFormat.SOCKADDR,
            TestDomain.PATIENCE,
            System::nanoTime);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> one(waiting)).isInstanceOf(InterruptedException.class);
    Semaphore single = new Semaphore(1, true);
    NameResolution failing =
        new NameResolution(
            host -> List.of(IPV4),
            task ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                },
            single,
            AddressFormat.SOCKADDR,
            TestDomain.PATIENCE,
            System::nanoTime);
    assertThatThrownBy(() -> one(failing)).isInstanceOf(OutOfMemoryError.class);
    assertThat(single.availablePermits()).isEqualTo(1);
  }

  @Test
  void systemsResolverKnowsThisHost() throws Exception {
    NameResolution system =
        new NameResolution(null, AddressFormat.SOCKADDR_IN, TestDomain.PATIENCE);
    assertThat(system.resolve(1, i -> "localhost")[0])
        .isEqualTo(new HostAddress.Found(InetAddress.ofLiteral("127.0.0.1")));
    assertThat(system.resolve(0, i -> "never asked")).isEmpty();
    // The places of the process: taken away, nobody resolves, whichever vector asks.
    NameResolution other = new NameResolution(null, AddressFormat.SOCKADDR_IN, TestDomain.PATIENCE);
    NameResolution.PLATFORM_PLACES.acquire(NameResolution.MOST_AT_ONCE);
    CompletableFuture<HostAddress> answer = new CompletableFuture<>();
    try {
      Thread.startVirtualThread(() -> {
        try {
          answer.complete(one(other));
        } catch (InterruptedException e) {
          answer.completeExceptionally(e);
        }
      });
      assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
    } finally {
      NameResolution.PLATFORM_PLACES.release(NameResolution.MOST_AT_ONCE);
    }
    assertThat(answer.get()).isNotNull();
  }
}
