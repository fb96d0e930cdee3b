// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/**
 * What is below a node of ZooKeeper: first all of it, then each change, and after a lost connection
 * all of it again.
 *
 * <p>Each reading is a {@link CuratorCache} of its own. One that reads itself anew after a lost
 * connection does not tell when it has read everything; it compares versions, which begin at 0
 * again where a node was made anew; and it lists the children of a node only if their number of
 * changes is another, which is no proof after a node was made anew either.
 *
 * <p>All methods but the constructor are for the loop.
 */
final class LiveTree {
  private static final Logger LOG = System.getLogger(LiveTree.class.getName());

  /** How long until what could not be read is read again. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** Who wants to know. Both are called by the loop. */
  interface Listener {
    /** All nodes were read. */
    void reread(Map<String, ChildData> all);

    /** These nodes have changed; null for one that is gone. */
    void changed(Map<String, @Nullable ChildData> nodes);

    /** ZooKeeper does not let this client read the nodes. They are read again nevertheless. */
    void denied(FabricException failure);
  }

  private final CuratorFramework client;
  private final String path;
  private final Loop loop;
  private final Listener listener;
  private final ConnectionStateListener connection = this::connectionChanged;
  private @Nullable Reading current;
  private boolean closed;

  LiveTree(CuratorFramework client, String path, Loop loop, Listener listener) {
    this.client = client;
    this.path = path;
    this.loop = loop;
    this.listener = listener;
    client.getConnectionStateListenable().addListener(connection);
    loop.execute(this::readAll);
  }

  private void connectionChanged(CuratorFramework which, ConnectionState state) {
    switch (state) {
      // What was read stays: only the cache ends, which would read for itself what is read anew.
      case SUSPENDED, LOST -> loop.execute(this::stop);
      case RECONNECTED -> loop.execute(this::readAll);
      default -> {}
    }
  }

  /** Whether the application has not closed the client; after that there is nothing to be read. */
  private boolean isStarted() {
    return client.getState() == CuratorFrameworkState.STARTED;
  }

  /** Whether all was read since the connection was lost last, and changes are told. */
  boolean isCurrent() {
    return current != null && current.isComplete;
  }

  private void stop() {
    if (current != null) {
      current.cache.close();
      current = null;
    }
  }

  private void readAll() {
    stop();
    if (!closed && isStarted()) {
      Reading reading = new Reading();
      current = reading;
      reading.cache.start();
    }
  }

  /** Stops looking. */
  void close() {
    client.getConnectionStateListenable().removeListener(connection);
    closed = true;
    stop();
  }

  /** One cache, from its start until the connection is lost. */
  private final class Reading implements CuratorCacheListener {
    final CuratorCache cache =
        CuratorCache.builder(client, path).withExceptionHandler(this::failed).build();

    private final Set<String> dirty = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isToldOf = new AtomicBoolean();

    /** Of the loop. */
    private boolean isComplete;

    private boolean hasFailed;

    Reading() {
      cache.listenable().addListener(this);
    }

    private void failed(Exception failure) {
      loop.execute(() -> {
        if (current == this && !hasFailed && isStarted()) {
          hasFailed = true;
          LOG.log(
              Level.WARNING,
              "{0} cannot be read, and is read again: {1}",
              path,
              failure.toString());
          if (failure instanceof KeeperException known && Failures.isDenied(known.code())) {
            listener.denied(Failures.of("read " + path, known));
          }
          loop.after(
              AGAIN,
              () -> {
                if (current == this) {
                  readAll();
                }
              });
        }
      });
    }

    @Override
    public void event(Type type, @Nullable ChildData former, @Nullable ChildData now) {
      ChildData either = now != null ? now : former;
      if (either != null) {
        dirty.add(either.getPath());
        if (isToldOf.compareAndSet(false, true)) {
          loop.execute(this::changed);
        }
      }
    }

    private void changed() {
      isToldOf.set(false);
      if (current == this && isComplete) {
        Map<String, @Nullable ChildData> nodes = new HashMap<>();
        for (String each : Set.copyOf(dirty)) {
          dirty.remove(each);
          nodes.put(each, cache.get(each).orElse(null));
        }
        if (!nodes.isEmpty()) {
          listener.changed(nodes);
        }
      }
    }

    @Override
    public void initialized() {
      loop.execute(() -> {
        if (current == this && !hasFailed) {
          isComplete = true;
          dirty.clear();
          Map<String, ChildData> all = new HashMap<>();
          try (Stream<ChildData> nodes = cache.stream()) {
            nodes.forEach(node -> all.put(node.getPath(), node));
          }
          listener.reread(all);
        }
      });
    }
  }
}
