// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.HdrHistogram.Histogram;
import org.ofi4j.cli.output.Numbers;

/** Both sides know each other: messages by handle, their sources, round trips. */
final class ExchangeStep {
  private static final int WARM_UP = 1000;
  private static final int ROUND_TRIPS = 2000;

  private ExchangeStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    DemoReport report = stage.report();
    DemoEndpoint endpoint = stage.endpoint();
    PeerProcess peer = stage.peer();
    long handle = stage.vector().find(peer.address());

    endpoint.send("how are you", handle);
    String heard = peer.tell("receive", "received");
    report.check(
        heard.equals("0 how are you"),
        "sent to handle " + handle + ", the peer receives: " + heard);
    peer.tell("send fine", "sent");
    DemoEndpoint.Message answer = endpoint.expect("the answer");
    report.check(
        answer.text().equals("fine") && answer.source() == handle,
        "\"" + answer.text() + "\" comes back, from source " + answer.source());

    roundTrips(endpoint, peer, handle, report);
  }

  /** Measures round trips; their median in microseconds. */
  static double roundTrips(DemoEndpoint endpoint, PeerProcess peer, long handle, DemoReport report)
      throws IOException, InterruptedException {
    Histogram histogram = new Histogram(3);
    peer.tell("echo " + (WARM_UP + ROUND_TRIPS), "echoing");
    int returned = 0;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(8, 8);
      for (int i = 0; i < WARM_UP + ROUND_TRIPS; i++) {
        long begin = System.nanoTime();
        endpoint.send(message, handle);
        if (!endpoint.receiveFrom(handle, DemoEndpoint.PATIENCE)) {
          break;
        }
        returned++;
        if (i >= WARM_UP) {
          histogram.recordValue(System.nanoTime() - begin);
        }
      }
    }
    String echoed = peer.answer("echoed");
    report.check(
        returned == WARM_UP + ROUND_TRIPS && echoed.equals(String.valueOf(returned)),
        Numbers.count(returned, "round trip") + " of 8 bytes, none lost");
    double median = histogram.getValueAtPercentile(50) / 1e3;
    report.say(
        Numbers.format(
            "round trip p50 %.1f us, p99 %.1f us",
            median, histogram.getValueAtPercentile(99) / 1e3));
    return median;
  }
}
