// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Completions go in and come out once each, in order, and never more than there is room for. */
class CompletionRingTest {
  private static Completion.Failure failure(@Nullable Object context) {
    return Completion.Failure.of(Errno.EIO, "planted").context(context).providerErrno(5).build();
  }

  /** Collects contexts; failures as themselves. */
  private static final class Taken implements CompletionHandler {
    private final List<Object> all = new ArrayList<>();

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      assertThat(List.of(flags + 1, flags + 2, flags + 3, flags + 4))
          .isEqualTo(List.of(length, data, tag, source));
      all.add(context);
    }

    @Override
    public void failed(Completion.Failure failure) {
      all.add(failure);
    }
  }

  private static void add(CompletionRing ring, Object context, long flags) {
    assertThat(ring.reserve(1)).isOne();
    ring.add(context, flags, flags + 1, flags + 2, flags + 3, flags + 4);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 8, 100})
  @DisplayName("As many fit as were asked for, round after round, and come out in order")
  void bounded(int size) {
    CompletionRing ring = new CompletionRing(size);
    for (int round = 0; round < 20; round++) {
      assertThat(ring.isEmpty()).isTrue();
      for (int i = 0; i < size; i++) {
        add(ring, i, 10L * i);
      }
      assertThat(ring.reserve(1)).isZero();
      assertThat(ring.hasRoom()).isFalse();
      Taken taken = new Taken();
      for (int i = 0; i < size; i++) {
        assertThat(ring.isEmpty()).isFalse();
        assertThat(ring.deliver(taken)).isTrue();
        assertThat(taken.all.get(i)).isEqualTo(i);
      }
      assertThat(ring.deliver(taken)).isFalse();
    }
  }

  @Test
  @DisplayName("Room that is claimed and given back is there again")
  void givenBack() {
    CompletionRing ring = new CompletionRing(1);
    assertThat(ring.reserve(1)).isOne();
    assertThat(ring.reserve(1)).isZero();
    ring.release(1);
    assertThat(ring.reserve(1)).isOne();
    assertThat(ring.isEmpty()).isTrue();
  }

  @Test
  @DisplayName("A failure is told from a success whatever the context is, and stays in its place")
  void kinds() {
    CompletionRing ring = new CompletionRing(8);
    Completion.Failure asContext = failure("inner");
    add(ring, asContext, 0);
    assertThat(ring.reserve(1)).isOne();
    ring.add(failure("second"));

    assertThat(ring.take(Completion.Failure.class)).isNull();
    assertThat(ring.take(Completion.Success.class))
        .satisfies(success -> assertThat(success.context()).isSameAs(asContext));
    assertThatThrownBy(() -> ring.take(Completion.Success.class))
        .isInstanceOfSatisfying(
            FabricException.class, ahead -> assertThat(ahead.errno()).isEqualTo(Errno.EAVAIL));
    assertThat(ring.take(Completion.Failure.class))
        .satisfies(failure -> assertThat(failure.context()).isEqualTo("second"));
    assertThat(ring.take(Completion.class)).isNull();
  }

  @Test
  @DisplayName("A handler that throws has taken its completion and no other")
  void throwingHandler() {
    CompletionRing ring = new CompletionRing(2);
    add(ring, "first", 0);
    add(ring, "second", 0);
    assertThatThrownBy(() ->
            ring.deliver(
                new CompletionHandler() {
                  @Override
                  public void completed(
                      @Nullable Object context,
                      long flags,
                      long length,
                      long data,
                      long tag,
                      long source) {
                    throw new IllegalStateException(String.valueOf(context));
                  }

                  @Override
                  public void failed(Completion.Failure failure) {
                    throw new AssertionError(failure.toString());
                  }
                }))
        .hasMessage("first");
    Taken taken = new Taken();
    assertThat(ring.deliver(taken)).isTrue();
    assertThat(taken.all).containsExactly("second");
    assertThat(ring.reserve(1)).isOne();
    assertThat(ring.reserve(1)).isOne();
  }

  @Test
  @DisplayName("A context is not kept once it was taken")
  void forgets() throws InterruptedException {
    CompletionRing ring = new CompletionRing(4);
    WeakReference<Object> context;
    {
      Object object = new Object();
      context = new WeakReference<>(object);
      add(ring, object, 0);
    }
    ring.deliver(new Taken());
    for (int i = 0; i < 100 && context.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(context.get()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  @DisplayName("Under many threads each completion is taken once and each adder's order is kept")
  void threads(int size) throws Exception {
    int adders = 3;
    int takers = 3;
    int each = 10_000;
    CompletionRing ring = new CompletionRing(size);
    BitSet seen = new BitSet();
    AtomicInteger left = new AtomicInteger(adders * each);
    List<Callable<Void>> work = new ArrayList<>();
    for (int a = 0; a < adders; a++) {
      int first = a * each;
      work.add(() -> {
        for (int i = first; i < first + each; i++) {
          while (ring.reserve(1) == 0) {
            Thread.yield();
          }
          if (i % 7 == 0) {
            ring.add(failure(i));
          } else {
            ring.add(i, i, i + 1L, i + 2L, i + 3L, i + 4L);
          }
        }
        return null;
      });
    }
    for (int t = 0; t < takers; t++) {
      boolean byKind = t == 0;
      work.add(() -> {
        Taken taken = new Taken();
        while (left.get() > 0) {
          if (byKind ? takeByKind(ring, taken) : ring.deliver(taken)) {
            left.decrementAndGet();
          } else {
            Thread.yield();
          }
        }
        int[] last = {-1, -1, -1};
        for (Object one : taken.all) {
          int number = number(one);
          assertThat(number).isGreaterThan(last[number / each]);
          last[number / each] = number;
          synchronized (seen) {
            assertThat(seen.get(number)).as("taken twice: " + number).isFalse();
            seen.set(number);
          }
        }
        return null;
      });
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(work.size())) {
      for (Future<Void> done : pool.invokeAll(work)) {
        done.get();
      }
    }
    assertThat(seen.cardinality()).isEqualTo(adders * each);
    for (int i = 0; i < size; i++) {
      assertThat(ring.reserve(1)).isOne();
    }
    assertThat(ring.reserve(1)).isZero();
  }

  private static boolean takeByKind(CompletionRing ring, Taken taken) {
    try {
      Completion.Success success = ring.take(Completion.Success.class);
      if (success == null) {
        return false;
      }
      taken.completed(
          success.context(),
          success.flags(),
          success.length(),
          success.data(),
          success.tag(),
          success.source());
    } catch (FabricException failed) {
      Completion.Failure failure = ring.take(Completion.Failure.class);
      if (failure == null) {
        return false;
      }
      taken.failed(failure);
    }
    return true;
  }

  private static int number(Object taken) {
    Object context = taken instanceof Completion.Failure failure ? failure.context() : taken;
    return context instanceof Integer number ? number : -1;
  }
}
