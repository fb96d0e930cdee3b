// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Random;
import org.ofi4j.FabricAddress;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.peers.VectorSession;

/** Messages over TCP, with a peer that is killed and started again. */
final class ReliableStep {
  private static final int FIRST_PORT = 10_000;
  private static final int LAST_PORT = 32_000;
  private static final int MOST_PORTS = 100;

  private ReliableStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    try (VectorSession session =
            VectorSession.open(DemoStage.reliableHints(0), VectorOptions.table());
        DemoEndpoint endpoint = new DemoEndpoint(session.domain(), session.vector())) {
      long handle;
      String port = String.valueOf(portToComeBackTo());
      try (PeerProcess peer = PeerProcess.start("--reliable", "--port", port)) {
        FabricAddress address = peer.address();
        handle = session.vector().insert(address);
        stage
            .report()
            .say("another JVM, process " + peer.pid() + ", listens at " + address + " over TCP");
        endpoint.post("hello", handle);
        exchange(endpoint, peer, handle, "hello", stage.report());
        ExchangeStep.roundTrips(endpoint, peer, handle, stage.report());
        peer.kill();
      }
      stage.report().say("that process is killed; a message to handle " + handle + " waits");
      endpoint.post("anybody there", handle);
      try (PeerProcess peer = PeerProcess.start("--reliable", "--port", port)) {
        stage.report().say("process " + peer.pid() + " listens at the same address");
        exchange(endpoint, peer, handle, "anybody there", stage.report());
      }
    }
  }

  /**
   * A free port below those that systems pick from: one of those might be picked for somebody
   * else's connection while nobody listens there.
   */
  private static int portToComeBackTo() throws IOException {
    Random random = new Random();
    for (int i = 0; ; i++) {
      int port = random.nextInt(FIRST_PORT, LAST_PORT);
      try (ServerSocket probe = new ServerSocket()) {
        probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return port;
      } catch (IOException taken) {
        if (i == MOST_PORTS) {
          throw taken;
        }
      }
    }
  }

  private static void exchange(
      DemoEndpoint endpoint, PeerProcess peer, long handle, String text, DemoReport report)
      throws IOException, InterruptedException {
    endpoint.awaitDelivery();
    String heard = peer.tell("receive", "received");
    report.check(
        heard.equals("unknown " + text),
        "\"" + text + "\" is in the peer's memory, which receives: " + heard);
    peer.tell("insert " + endpoint.address(), "inserted");
    peer.tell("send thanks", "sent");
    DemoEndpoint.Message answer = endpoint.expect("the answer");
    report.check(
        answer.text().equals("thanks") && answer.source() == handle,
        "\"" + answer.text() + "\" comes back, from source " + answer.source());
  }
}
