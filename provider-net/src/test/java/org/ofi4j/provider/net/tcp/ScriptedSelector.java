// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Says which channels are ready that a test plays; never waits. */
final class ScriptedSelector extends AbstractSelector {
  /** A channel that a test plays. */
  interface Scripted {
    /** What the channel is ready for, as in {@link SelectionKey}. */
    int ready();
  }

  private final Set<SelectionKey> keys = new LinkedHashSet<>();

  ScriptedSelector() {
    super(SelectorProvider.provider());
  }

  private static final class Key extends AbstractSelectionKey {
    private final ScriptedSelector selector;
    private final SelectableChannel channel;
    private int interest;
    private int ready;

    Key(ScriptedSelector selector, SelectableChannel channel, int interest, Object about) {
      this.selector = selector;
      this.channel = channel;
      this.interest = interest;
      attach(about);
    }

    @Override
    public SelectableChannel channel() {
      return channel;
    }

    @Override
    public Selector selector() {
      return selector;
    }

    private void check() {
      if (!isValid()) {
        throw new CancelledKeyException();
      }
    }

    @Override
    public int interestOps() {
      check();
      return interest;
    }

    @Override
    public SelectionKey interestOps(int operations) {
      check();
      interest = operations;
      return this;
    }

    @Override
    public int readyOps() {
      check();
      return ready;
    }
  }

  @Override
  protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object about) {
    Key key = new Key(this, channel, operations, about);
    keys.add(key);
    return key;
  }

  @Override
  public int selectNow(Consumer<SelectionKey> action) {
    Set<SelectionKey> cancelled = cancelledKeys();
    for (SelectionKey key : cancelled) {
      keys.remove(key);
      deregister((AbstractSelectionKey) key);
    }
    cancelled.clear();
    int count = 0;
    for (SelectionKey each : new ArrayList<>(keys)) {
      if (each instanceof Key key && key.isValid() && key.channel instanceof Scripted scripted) {
        key.ready = scripted.ready() & key.interest;
        if (key.ready != 0) {
          count++;
          action.accept(key);
        }
      }
    }
    return count;
  }

  @Override
  protected void implCloseSelector() {
    for (SelectionKey key : keys) {
      deregister((AbstractSelectionKey) key);
    }
    keys.clear();
  }

  @Override
  public Set<SelectionKey> keys() {
    return keys;
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int selectNow() {
    return selectNow(key -> {});
  }

  @Override
  public int select(long timeout) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int select() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Selector wakeup() {
    return this;
  }
}
