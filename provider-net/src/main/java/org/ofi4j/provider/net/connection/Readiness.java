// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.progress.ProgressTarget;
import org.ofi4j.provider.net.progress.ReadyKey;

/**
 * The channels of an endpoint, what each waits for, and which are ready.
 *
 * <p>Several selectors know the channels: one of the endpoint's own, which is only ever asked and
 * never slept in, and one of each progress engine. The channels stand in the order of their last
 * change, and a selector is told of those that have changed since it was told last. So getting one
 * ready costs as much as has changed, not as much as there are channels.
 *
 * <p>Guarded by the lock of the endpoint, but {@link Watched#ready}, which needs none.
 */
public final class Readiness {
  /** A channel, and what it waits for. */
  abstract static class Watched implements ReadyKey {
    private static final AtomicIntegerFieldUpdater<Watched> OPERATIONS =
        AtomicIntegerFieldUpdater.newUpdater(Watched.class, "operations");

    private final Readiness readiness;
    private final SelectableChannel channel;
    private int interest;
    private boolean readAnyway;

    // The number of its last change, 0 while it is not watched; and its neighbours in that order.
    private long changed;
    private @Nullable Watched older;
    private @Nullable Watched newer;

    // The operations that it is ready for, and the next one among the ready ones. It is one of them
    // from when the first becomes more than 0 until it is taken.
    private volatile int operations;
    private @Nullable Watched nextReady;

    Watched(Readiness readiness, SelectableChannel channel) {
      this.readiness = readiness;
      this.channel = channel;
    }

    @Override
    public final ProgressTarget ready(int more) {
      if (OPERATIONS.getAndAccumulate(this, more, (a, b) -> a | b) == 0) {
        readiness.push(this);
      }
      return readiness.target;
    }

    /** Whether it is among those that {@link Readiness#act} finds ready. */
    final boolean isReady() {
      return operations != 0;
    }

    abstract void act(int ready);
  }

  /** A selector, and the number of the last change that it was told of. */
  private static final class Known {
    private final Selector selector;
    private long told;

    Known(Selector selector) {
      this.selector = selector;
    }
  }

  private final ProgressTarget target;
  private final List<Known> selectors = new ArrayList<>();
  private final AtomicReference<@Nullable Watched> ready = new AtomicReference<>();
  private final @Nullable Selector own;
  private @Nullable Watched newest;
  private int size;
  private long changes;

  // One object, so that looking makes no garbage.
  private final Consumer<SelectionKey> noteReady = ReadyKey::ready;

  /**
   * No channels yet.
   *
   * @param own a selector that nobody sleeps in, or null if another thread tells what is ready
   */
  public Readiness(ProgressTarget target, @Nullable Selector own) {
    this.target = target;
    this.own = own;
  }

  private void push(Watched watched) {
    Watched first;
    do {
      first = ready.get();
      watched.nextReady = first;
    } while (!ready.compareAndSet(first, watched));
  }

  public int size() {
    return size;
  }

  /** Calls an action with each channel, which it must not watch or forget. */
  void forEach(Consumer<Watched> action) {
    for (Watched each = newest; each != null; each = each.older) {
      action.accept(each);
    }
  }

  /** Says what a channel waits for from now on; false if it did so already. */
  boolean watch(Watched watched, int interest) {
    if (watched.changed != 0 && watched.interest == interest) {
      return false;
    }
    watched.interest = interest;
    addNewest(watched);
    return true;
  }

  /**
   * Says whether a channel is read without asking. If so the endpoint's own selector does not look
   * for its data, which would cost the kernel something for each message.
   */
  void readAnyway(Watched watched, boolean isRead) {
    if (watched.readAnyway != isRead) {
      watched.readAnyway = isRead;
      if (watched.changed != 0) {
        addNewest(watched);
      }
    }
  }

  private void addNewest(Watched watched) {
    forget(watched);
    Watched before = newest;
    if (before != null) {
      before.newer = watched;
    }
    watched.older = before;
    watched.changed = ++changes;
    newest = watched;
    size++;
  }

  void forget(Watched watched) {
    if (watched.changed != 0) {
      Watched older = watched.older;
      Watched newer = watched.newer;
      if (older != null) {
        older.newer = newer;
      }
      if (newer == null) {
        newest = older;
      } else {
        newer.older = older;
      }
      watched.older = null;
      watched.newer = null;
      watched.changed = 0;
      size--;
    }
  }

  /**
   * Lets go of a channel that stays open, because another endpoint has it from now on. Selectors
   * that are slept in must look again before they can know it anew.
   */
  public void release(Watched watched) throws IOException {
    forget(watched);
    for (Known known : selectors) {
      cancel(known.selector, watched);
    }
    if (own != null) {
      own.selectNow(noteReady);
    }
  }

  private static void cancel(Selector selector, Watched watched) {
    SelectionKey key = watched.channel.keyFor(selector);
    if (key != null) {
      key.cancel();
    }
  }

  /** Tells a selector what the channels wait for. */
  public void prepare(Selector selector) throws IOException {
    Known known = known(selector);
    boolean isOwn = selector.equals(own);
    boolean told = true;
    for (Watched each = newest; each != null && each.changed > known.told; each = each.older) {
      int skipped = isOwn && each.readAnyway ? SelectionKey.OP_READ : 0;
      told &= tell(selector, each, each.interest & ~skipped);
    }
    if (told) {
      known.told = changes;
    } else {
      // It lets go of the keys that it has still to forget, and is prepared again.
      selector.wakeup();
    }
  }

  private Known known(Selector selector) {
    for (int i = 0; i < selectors.size(); i++) {
      if (selectors.get(i).selector.equals(selector)) {
        return selectors.get(i);
      }
    }
    Known added = new Known(selector);
    selectors.add(added);
    return added;
  }

  /** Takes all channels out of a selector, which hears no more of them until it is prepared. */
  public void leave(Selector selector) {
    selectors.remove(known(selector));
    forEach(each -> cancel(selector, each));
  }

  /** Tells a selector what a channel waits for; false if it has to forget an older key before. */
  private static boolean tell(Selector selector, Watched watched, int interest) throws IOException {
    SelectionKey key = watched.channel.keyFor(selector);
    try {
      if (key != null) {
        key.interestOps(interest);
      } else if (watched.channel.isOpen()) {
        watched.channel.register(selector, interest, watched);
      }
      return true;
    } catch (CancelledKeyException closing) {
      // Is about to be forgotten, unless it came from another endpoint.
      return !watched.channel.isOpen();
    }
  }

  /** Looks in the endpoint's own selector, if it has one. */
  void poll() throws IOException {
    Selector selector = own;
    if (selector != null) {
      prepare(selector);
      selector.selectNow(noteReady);
    }
  }

  /** Whether {@link #act} would find channels ready now. */
  boolean hasReady() {
    return ready.get() != null;
  }

  /** Returns how many channels {@link #act} would find ready now. */
  int countReady() {
    int count = 0;
    for (Watched each = ready.get(); each != null; each = each.nextReady) {
      count++;
    }
    return count;
  }

  public void act() {
    Watched each = ready.get() == null ? null : ready.getAndSet(null);
    try {
      while (each != null) {
        Watched acting = each;
        each = acting.nextReady;
        acting.nextReady = null;
        // From here on it may be listed again.
        int operations = Watched.OPERATIONS.getAndSet(acting, 0);
        if (acting.changed != 0) {
          acting.act(operations);
        }
      }
    } finally {
      // If one has failed, the others are still ready.
      while (each != null) {
        Watched following = each.nextReady;
        push(each);
        each = following;
      }
    }
  }

  /** Closes all channels that are still open, and the endpoint's own selector. */
  public void close(Trouble trouble) {
    for (Watched each = newest; each != null; each = newest) {
      forget(each);
      close(each.channel, trouble);
    }
    if (own != null) {
      close(own, trouble);
    }
  }

  private static void close(Closeable open, Trouble trouble) {
    try {
      open.close();
    } catch (IOException | RuntimeException | Error failed) {
      trouble.note(failed);
    }
  }
}
