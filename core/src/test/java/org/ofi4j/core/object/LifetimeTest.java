// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;

class LifetimeTest {
  private static final class Thing implements FabricObject {
    final String name;
    final AtomicInteger releases = new AtomicInteger();
    Runnable onRelease = () -> {};
    final Lifetime lifetime = new Lifetime(this, this::release);

    Thing(String name) {
      this.name = name;
    }

    private void release() {
      releases.incrementAndGet();
      onRelease.run();
    }

    @Override
    public @Nullable Object context() {
      return null;
    }

    @Override
    public boolean isOpen() {
      return lifetime.isOpen();
    }

    @Override
    public void close() {
      lifetime.close();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final Thing parent = new Thing("parent");
  private final Thing child = new Thing("child");

  @Test
  @Tag("AV-016")
  @Tag("AV-070")
  @DisplayName("A refused close names the holders and changes nothing")
  void refusedCloseChangesNothing() {
    child.lifetime.hold(parent.lifetime);

    assertThatThrownBy(parent::close)
        .isInstanceOfSatisfying(
            FabricBusyException.class,
            busy -> {
              assertThat(busy.errno()).isEqualTo(Errno.EBUSY);
              assertThat(busy.holders()).containsExactly(child);
            })
        .hasMessageContaining("child");

    assertThat(parent.isOpen()).isTrue();
    assertThat(parent.releases).hasValue(0);
    child.close();
    parent.close();
    assertThat(parent.isOpen()).isFalse();
    assertThat(parent.releases).hasValue(1);
  }

  @Test
  void closingAgainDoesNothing() {
    parent.close();
    parent.close();
    assertThat(parent.releases).hasValue(1);
  }

  @Test
  void closedObjectRefusesCallsAndHolders() {
    parent.close();
    assertThatThrownBy(parent.lifetime::checkOpen)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining("parent is closed");
    assertThatThrownBy(() -> child.lifetime.hold(parent.lifetime))
        .isInstanceOf(FabricException.class);
    child.close(); // what was refused is not remembered
    assertThat(child.releases).hasValue(1);
  }

  @Test
  void whatIsHeldIsOpenWhileTheReleaseRuns() {
    child.lifetime.hold(parent.lifetime);
    child.onRelease =
        () -> assertThatThrownBy(parent::close).isInstanceOf(FabricBusyException.class);
    child.close();
    parent.close();
    assertThat(parent.releases).hasValue(1);
  }

  @Test
  void releaseThatFailsLetsGoAllTheSame() {
    child.lifetime.hold(parent.lifetime);
    child.onRelease =
        () -> {
          throw new IllegalStateException("release");
        };
    assertThatThrownBy(child::close).hasMessage("release");
    parent.close();
    assertThat(parent.isOpen()).isFalse();
  }

  @Test
  void closingAgainFinishesReleaseThatRanOutOfMemory() {
    child.lifetime.hold(parent.lifetime);
    child.onRelease =
        () -> {
          throw new OutOfMemoryError("planted");
        };
    for (int attempts = 1; attempts <= 3; attempts++) {
      assertThatThrownBy(child::close).isInstanceOf(OutOfMemoryError.class);
      assertThat(child.isOpen()).isFalse();
      assertThat(child.releases).hasValue(attempts);
      assertThatThrownBy(parent::close).isInstanceOf(FabricBusyException.class);
    }
    child.onRelease = () -> {};
    child.close();
    child.close();
    assertThat(child.releases).hasValue(4);
    parent.close();
    assertThat(parent.releases).hasValue(1);
  }

  @Test
  void everyUseEndsWithTheUser() {
    child.lifetime.hold(parent.lifetime);
    child.lifetime.hold(parent.lifetime);
    assertThat(parent.lifetime.holders()).containsExactly(child);
    assertThatThrownBy(parent::close).isInstanceOf(FabricBusyException.class);
    child.close();
    parent.close();
    assertThat(parent.isOpen()).isFalse();
  }

  @RepeatedTest(200)
  @DisplayName("However hold and both closes race, nothing stays busy and releases run once")
  void holdRacesWithCloses() throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    Thread holder = racer(start, () -> child.lifetime.hold(parent.lifetime));
    Thread closer = racer(start, child::close);
    start.countDown();
    holder.join();
    closer.join();
    child.close();
    parent.close();
    assertThat(parent.releases).hasValue(1);
    assertThat(child.releases).hasValue(1);
  }

  private static Thread racer(CountDownLatch start, Runnable action) {
    return Thread.startVirtualThread(() -> {
      try {
        start.await();
        action.run();
      } catch (FabricException | InterruptedException lostTheRace) {
        // either outcome is right
      }
    });
  }
}
