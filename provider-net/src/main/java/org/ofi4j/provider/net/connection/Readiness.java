// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.BitSet;
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
 * never slept in, and one of each progress engine. Getting one ready costs as much as has changed
 * since the last time, not as much as there are channels.
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
    private int place = -1;
    private boolean readAnyway;
    // Selector i does not know yet what the channel waits for: bit i. Few endpoints have more
    // selectors than a word has bits, and there may be thousands of channels.
    private long changed;
    private @Nullable BitSet changedAbove;
    // What it is ready for, and who comes after it among the ready ones. It is one of them from
    // when the first becomes more than 0 until it is taken.
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

    /** Notes whether a selector does not know yet what the channel waits for; says if it did. */
    private boolean setChanged(int selector, boolean isChanged) {
      boolean before;
      if (selector < Long.SIZE) {
        long bit = 1L << selector;
        before = (changed & bit) != 0;
        changed = isChanged ? changed | bit : changed & ~bit;
      } else {
        BitSet above = changedAbove == null ? new BitSet() : changedAbove;
        changedAbove = above;
        before = above.get(selector);
        above.set(selector, isChanged);
      }
      return before;
    }

    abstract void act(int ready);
  }

  /** A selector, and the channels of which it does not know yet what they wait for. */
  private static final class Known {
    private final Selector selector;
    private final int number;
    private final List<Watched> changed = new ArrayList<>();

    Known(Selector selector, int number) {
      this.selector = selector;
      this.number = number;
    }

    void add(Watched watched) {
      if (!watched.setChanged(number, true)) {
        changed.add(watched);
      }
    }

    void dropForgotten() {
      changed.removeIf(watched -> {
        boolean forgotten = watched.place < 0;
        if (forgotten) {
          watched.setChanged(number, false);
        }
        return forgotten;
      });
    }
  }

  /**
   * Channels that selectors may still know though they were closed, besides as many as are open.
   */
  private static final int MOST_FORGOTTEN = 64;

  private final ProgressTarget target;
  private final List<Watched> channels = new ArrayList<>();
  private final List<Known> selectors = new ArrayList<>();
  private final AtomicReference<@Nullable Watched> ready = new AtomicReference<>();
  private final @Nullable Selector own;
  private int forgotten;
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
    return channels.size();
  }

  /** Says what a channel waits for from now on; false if it did so already. */
  boolean watch(Watched watched, int interest) {
    if (watched.place < 0) {
      watched.place = channels.size();
      channels.add(watched);
    } else if (watched.interest == interest) {
      return false;
    }
    watched.interest = interest;
    for (int i = 0; i < selectors.size(); i++) {
      selectors.get(i).add(watched);
    }
    return true;
  }

  /**
   * Says whether a channel is read without asking. If so the endpoint's own selector does not look
   * for its data, which would cost the kernel something for each message.
   */
  void readAnyway(Watched watched, boolean isRead) {
    Selector selector = own;
    if (watched.readAnyway != isRead && selector != null) {
      watched.readAnyway = isRead;
      known(selector).add(watched);
    }
  }

  void forget(Watched watched) {
    int place = watched.place;
    if (place >= 0) {
      Watched last = channels.removeLast();
      if (place < channels.size()) {
        channels.set(place, last);
        last.place = place;
      }
      watched.place = -1;
      // Else they would be kept until somebody sleeps in each selector, which may never be again.
      if (++forgotten > channels.size() + MOST_FORGOTTEN) {
        forgotten = 0;
        selectors.forEach(Known::dropForgotten);
      }
    }
  }

  /**
   * Lets go of a channel that stays open, because another endpoint has it from now on. Selectors
   * that are slept in must look again before they can know it anew.
   */
  public void release(Watched watched) throws IOException {
    forget(watched);
    for (Known known : selectors) {
      SelectionKey key = watched.channel.keyFor(known.selector);
      if (key != null) {
        key.cancel();
      }
    }
    if (own != null) {
      own.selectNow(noteReady);
    }
  }

  /** Tells a selector what the channels wait for. */
  public void prepare(Selector selector) throws IOException {
    Known known = known(selector);
    List<Watched> changed = known.changed;
    int kept = 0;
    for (int i = 0; i < changed.size(); i++) {
      Watched watched = changed.get(i);
      watched.setChanged(known.number, false);
      if (watched.place >= 0) {
        boolean skipsData = watched.readAnyway && selector.equals(own);
        int interest = watched.interest;
        if (!tell(selector, watched, skipsData ? interest & ~SelectionKey.OP_READ : interest)) {
          watched.setChanged(known.number, true);
          changed.set(kept++, watched);
        }
      }
    }
    if (kept == 0) {
      changed.clear();
    } else {
      changed.subList(kept, changed.size()).clear();
      // It lets go of the keys that it has still to forget, and is prepared once more.
      selector.wakeup();
    }
  }

  private Known known(Selector selector) {
    for (int i = 0; i < selectors.size(); i++) {
      if (selectors.get(i).selector.equals(selector)) {
        return selectors.get(i);
      }
    }
    Known added = new Known(selector, unusedNumber());
    selectors.add(added);
    channels.forEach(added::add);
    return added;
  }

  private int unusedNumber() {
    BitSet used = new BitSet();
    selectors.forEach(each -> used.set(each.number));
    return used.nextClearBit(0);
  }

  /** Takes all channels out of a selector, which hears no more of them. */
  public void leave(Selector selector) {
    Known known = null;
    for (Known each : selectors) {
      known = each.selector.equals(selector) ? each : known;
    }
    if (known == null) {
      return;
    }
    for (Watched watched : known.changed) {
      watched.setChanged(known.number, false);
    }
    selectors.remove(known);
    for (Watched watched : channels) {
      SelectionKey key = watched.channel.keyFor(selector);
      if (key != null) {
        key.cancel();
      }
    }
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

  /** Keeps a selector from reporting any channel until it is prepared again. */
  public void rest(Selector selector) {
    Known known = known(selector);
    for (Watched watched : channels) {
      SelectionKey key = watched.channel.keyFor(selector);
      if (key != null) {
        try {
          key.interestOps(0);
        } catch (CancelledKeyException closing) {
          // Is reported no more.
        }
        known.add(watched);
      }
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
        if (acting.place >= 0) {
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
    for (int i = 0; i < channels.size(); i++) {
      Watched watched = channels.get(i);
      watched.place = -1;
      close(watched.channel, trouble);
    }
    channels.clear();
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
