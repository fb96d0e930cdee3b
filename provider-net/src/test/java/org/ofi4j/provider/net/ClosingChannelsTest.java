// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.progress.ProgressThread;

/** Channels that are closed while the domain's thread is told that they are ready. */
class ClosingChannelsTest {
  /** A key whose channel another thread closes after the selector has found it ready. */
  private static final class Cancelled extends SelectionKey {
    @Override
    public SelectableChannel channel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Selector selector() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isValid() {
      return false;
    }

    @Override
    public void cancel() {}

    @Override
    public int interestOps() {
      throw new CancelledKeyException();
    }

    @Override
    public SelectionKey interestOps(int operations) {
      throw new CancelledKeyException();
    }

    @Override
    public int readyOps() {
      throw new CancelledKeyException();
    }
  }

  /** Reports one key whenever it is woken. */
  private static final class Reporting extends AbstractSelector {
    private final SelectionKey key;
    private final Semaphore wakes = new Semaphore(0);
    private final CountDownLatch reported = new CountDownLatch(3);

    Reporting(SelectionKey key) {
      super(SelectorProvider.provider());
      this.key = key;
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) {
      try {
        if (!wakes.tryAcquire(timeout, TimeUnit.MILLISECONDS)) {
          return 0;
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return 0;
      }
      return selectNow(action);
    }

    @Override
    public int select(Consumer<SelectionKey> action) {
      return select(action, Long.MAX_VALUE);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) {
      action.accept(key);
      reported.countDown();
      return 1;
    }

    @Override
    public Selector wakeup() {
      wakes.release();
      return this;
    }

    @Override
    protected void implCloseSelector() {}

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object with) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
      return Set.of(key);
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
      return Set.of();
    }

    @Override
    public int selectNow() {
      return 0;
    }

    @Override
    public int select(long timeout) {
      return 0;
    }

    @Override
    public int select() {
      return 0;
    }
  }

  @Test
  @DisplayName("A channel that is closed just when it is found ready does not end the thread")
  void closedMeanwhile() throws Exception {
    SelectionKey key = new Cancelled();
    key.attach(new IdleTarget() {});
    Reporting selector = new Reporting(key);
    ProgressThread thread = new ProgressThread("test", selector);
    while (selector.reported.getCount() > 0) {
      thread.checkRunning();
      selector.wakeup();
      Thread.sleep(1);
    }
    thread.checkRunning();
    thread.stop();
    assertThat(thread.thread().isAlive()).isFalse();
  }
}
