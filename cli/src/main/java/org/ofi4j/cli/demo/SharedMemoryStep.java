// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.util.stream.Collectors;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.output.InstalledProviders;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.peers.VectorSession;

/** Round trips between two JVMs through the shared memory of libfabric, and over TCP. */
final class SharedMemoryStep {
  private SharedMemoryStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    InfoAnswer answer = InstalledProviders.info(DemoStage.fabricHints(DemoStage.SHARED_MEMORY));
    if (answer.offers().isEmpty()) {
      String reasons =
          answer.refusals().stream().map(Refusal::reason).distinct().collect(Collectors.joining());
      stage.report().say("left out: " + reasons);
      return;
    }
    double tcp = median("tcp", stage.report());
    double memory = median(DemoStage.SHARED_MEMORY, stage.report());
    stage.report().say(Numbers.format("shared memory is %.1f times as fast as TCP", tcp / memory));
  }

  private static double median(String provider, DemoReport report)
      throws IOException, InterruptedException {
    try (VectorSession session =
            VectorSession.open(DemoStage.fabricHints(provider), VectorOptions.table());
        DemoEndpoint endpoint = new DemoEndpoint(session.domain(), session.vector());
        PeerProcess peer = PeerProcess.start("--fabric", provider)) {
      report.say("process " + peer.pid() + " is at " + peer.address());
      long handle = session.vector().insert(peer.address());
      peer.tell("insert " + endpoint.address(), "inserted");
      return ExchangeStep.roundTrips(endpoint, peer, handle, report);
    }
  }
}
