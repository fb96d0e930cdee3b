// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import org.ofi4j.AddressResolver;

/**
 * Looks up names before they are needed, many at a time, so that a list of names can be inserted in
 * its order without waiting for each. Safe for any thread.
 */
final class PrefetchingResolver implements AddressResolver {
  private static final int AT_A_TIME = 256;
  private static final int MAX_CACHED = 1 << 16;

  private final AddressResolver behind;
  private final ConcurrentHashMap<String, FutureTask<List<InetAddress>>> answers =
      new ConcurrentHashMap<>();
  private final Semaphore places = new Semaphore(AT_A_TIME);

  PrefetchingResolver(AddressResolver behind) {
    this.behind = behind;
  }

  /** Begins to look up hosts and does not wait. */
  void prefetch(Collection<String> hosts) {
    if (answers.size() + hosts.size() > MAX_CACHED) {
      answers.clear();
    }
    for (String host : hosts) {
      var _ = answer(host);
    }
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException, InterruptedException {
    try {
      return answer(host).get();
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof UnknownHostException unknown) {
        throw unknown;
      }
      UnknownHostException wrapped = new UnknownHostException(host);
      wrapped.initCause(failure.getCause());
      throw wrapped;
    }
  }

  private FutureTask<List<InetAddress>> answer(String host) {
    FutureTask<List<InetAddress>> fresh = new FutureTask<>(() -> lookUp(host));
    FutureTask<List<InetAddress>> present = answers.putIfAbsent(host, fresh);
    if (present != null) {
      return present;
    }
    Thread.ofVirtual().name("resolve " + host).start(fresh);
    return fresh;
  }

  private List<InetAddress> lookUp(String host) throws UnknownHostException, InterruptedException {
    places.acquire();
    try {
      return behind.resolve(host);
    } finally {
      places.release();
    }
  }
}
