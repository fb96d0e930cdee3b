// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/** Passes connections on to an endpoint, and cuts each after some number of bytes. */
final class CuttingRelay implements AutoCloseable {
  private static final int FIRST_WORDS = 100;

  /** Milliseconds between the last byte that passes one way, and the end of both ways. */
  private static final int PAUSE = 3;

  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Random random;
  private final int longest;
  final AtomicInteger cuts = new AtomicInteger();

  /** Whether connections live on from now on. */
  volatile boolean patient;

  CuttingRelay(FabricAddress target, Random random, int longest) throws IOException {
    this.target = SocketAddresses.of(target);
    this.random = random;
    this.longest = longest;
    listener = new ServerSocket();
    listener.bind(new InetSocketAddress("127.0.0.1", 0));
    Thread.ofVirtual().start(this::run);
  }

  FabricAddress name() {
    return FabricAddress.of((InetSocketAddress) listener.getLocalSocketAddress());
  }

  private void run() {
    try {
      while (true) {
        relay(listener.accept());
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void relay(Socket from) throws IOException {
    Socket to = new Socket();
    to.connect(target);
    from.setTcpNoDelay(true);
    to.setTcpNoDelay(true);
    boolean reset = random.nextBoolean();
    // Often within the first words that are exchanged.
    int most = random.nextInt(8) == 0 ? FIRST_WORDS : longest;
    int there = random.nextInt(most);
    int back = random.nextInt(most);
    Thread.ofVirtual().start(() -> pass(from, to, there, reset));
    Thread.ofVirtual().start(() -> pass(to, from, back, reset));
  }

  private void pass(Socket from, Socket to, int most, boolean reset) {
    byte[] bytes = new byte[1_024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int left = most;
      while (left > 0 || patient) {
        int count = in.read(bytes, 0, patient ? bytes.length : Math.min(left, bytes.length));
        if (count < 0) {
          return;
        }
        out.write(bytes, 0, count);
        left -= count;
      }
      // The other direction goes on a little: what it says of bytes that were lost would be a lie.
      Thread.sleep(PAUSE);
      cuts.incrementAndGet();
      if (reset) {
        from.setSoLinger(true, 0);
        to.setSoLinger(true, 0);
      }
    } catch (IOException | InterruptedException cut) {
      // By the other direction, or an endpoint.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
