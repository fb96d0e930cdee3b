// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class SignalHandlersTest {
  /** Nobody sends it to a JVM, which has no handler of it. */
  private static final int SIGURG = 23;

  private static final long SIG_IGN = 1;

  private long handler() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment action = arena.allocate(SignalHandlers.ACTION);
      assertThat(CLibrary.sigaction(SIGURG, 0, action.address())).isZero();
      return action.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  private long ignore() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment action = arena.allocate(SignalHandlers.ACTION);
      action.set(ValueLayout.JAVA_LONG, 0, SIG_IGN);
      assertThat(CLibrary.sigaction(SIGURG, action.address(), 0)).isZero();
    }
    assertThat(handler()).isEqualTo(SIG_IGN);
    return 42;
  }

  @Test
  @DisplayName("A handler that a call replaces is there again behind it, also if the call throws")
  void handlersArePutBack() {
    SignalHandlers handlers = new SignalHandlers();
    long before = handler();
    assertThat(before).isNotEqualTo(SIG_IGN);

    assertThat(handlers.keeping(this::ignore)).isEqualTo(42);
    assertThat(handler()).isEqualTo(before);

    assertThatThrownBy(() ->
            handlers.keeping(() -> {
              ignore();
              throw new IllegalStateException("thrown");
            }))
        .hasMessage("thrown");
    assertThat(handler()).isEqualTo(before);
  }

  @Test
  @DisplayName("A call that takes its time holds no other up, which puts handlers back meanwhile")
  void callsAreMadeAtOneTime() throws Exception {
    SignalHandlers handlers = new SignalHandlers();
    long before = handler();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    FutureTask<Long> slow =
        new FutureTask<>(() ->
            handlers.keeping(() -> {
              ignore();
              begun.countDown();
              awaitPlainly(enough);
              return ignore();
            }));
    Thread.ofPlatform().daemon().start(slow);
    begun.await();

    assertThat(handlers.keeping(this::ignore)).isEqualTo(42);
    assertThat(handler()).isEqualTo(before);

    enough.countDown();
    assertThat(slow.get()).isEqualTo(42);
    assertThat(handler()).isEqualTo(before);
  }

  private static void awaitPlainly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
