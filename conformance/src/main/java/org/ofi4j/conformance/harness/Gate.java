// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.ofi4j.AddressResolver;

/**
 * A resolver that answers only once its gate was opened, so that a test decides how long resolution
 * takes. It knows {@code host0} to {@code host255}, which are 10.9.0.0 to 10.9.0.255.
 */
public final class Gate implements AddressResolver {
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException, InterruptedException {
    entered.countDown();
    open.await();
    return List.of(address(host));
  }

  /** What a host name stands for. */
  public static InetAddress address(String host) throws UnknownHostException {
    if (!host.startsWith("host")) {
      throw new UnknownHostException(host);
    }
    int number = Integer.parseInt(host.substring("host".length()));
    return InetAddress.getByAddress(host, new byte[] {10, 9, 0, (byte) number});
  }

  /** Waits until somebody asks. */
  public void awaitQuestion() {
    try {
      if (!entered.await(50, TimeUnit.SECONDS)) {
        throw new AssertionError("the resolver was never asked");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", interrupted);
    }
  }

  /** Lets all questions be answered. */
  public void open() {
    open.countDown();
  }
}
