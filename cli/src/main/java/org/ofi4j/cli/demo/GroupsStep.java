// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.peers.VectorSession;

/** Two tasks use one endpoint, each in a peer group of its own. */
final class GroupsStep {
  private static final int MOST = 2;

  private GroupsStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    try (VectorSession session =
            VectorSession.open(
                DemoStage.reliableHints(0).withMaxGroupId(MOST), VectorOptions.table());
        GroupEndpoint endpoint = new GroupEndpoint(session.domain(), session.vector());
        PeerProcess peer = PeerProcess.start("--reliable", "--groups", String.valueOf(MOST))) {
      DemoReport report = stage.report();
      long handle = session.vector().insert(peer.address());
      peer.tell("insert " + endpoint.address(), "inserted");
      report.say("another JVM, process " + peer.pid() + ", has groups up to " + MOST + " as well");

      for (int group = 0; group <= MOST; group++) {
        endpoint.receive(group);
      }
      for (int group = MOST; group >= 0; group--) {
        String text = "for group " + group;
        peer.tell("send-in " + group + " " + text, "sent");
        check(endpoint.expect(), group, text, handle, report);
      }

      report.say("receives for group 2 and for none are posted; messages for 1 and 2 come");
      endpoint.receive(2);
      endpoint.receive(0);
      peer.tell("send-in 1 first", "sent");
      peer.tell("send-in 2 second", "sent");
      check(endpoint.expect(), 2, "second", handle, report);
      endpoint.receive(1);
      check(endpoint.expect(), 1, "first", handle, report);

      String refusal = peer.tell("send-in " + (MOST + 1) + " beyond", "error");
      report.check(refusal.startsWith("EINVAL"), "a larger group is refused: " + refusal);
    }
  }

  private static void check(
      GroupEndpoint.Message message, int group, String text, long handle, DemoReport report) {
    report.check(
        message.group() == group && message.text().equals(text) && message.source() == handle,
        "\"%s\" comes to the receive of group %s, from source %s"
            .formatted(message.text(), message.group(), message.source()));
  }
}
