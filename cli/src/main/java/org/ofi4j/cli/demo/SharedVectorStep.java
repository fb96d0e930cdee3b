// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.util.UUID;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.SharedVectors;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.peers.VectorSession;

/** One table for the processes of a node: it outlives the one that made it. */
final class SharedVectorStep {
  private static final int NODES = 1000;
  private static final int SERVICES = 16;

  private SharedVectorStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    DemoReport report = stage.report();
    String name = "ofi4j-demo-" + UUID.randomUUID();
    try (PeerProcess maker = PeerProcess.start("--reliable", "--shared", name)) {
      String made = maker.tell("fill 10.7.0.1 " + NODES + " 5000 " + SERVICES, "filled");
      String its = maker.tell("insert " + maker.address(), "inserted");
      report.say(
          "process " + maker.pid() + " makes it, with " + made + " peers, and itself as " + its);
      VectorOptions options = VectorOptions.table().withName(name);
      long begin = System.nanoTime();
      try (VectorSession session = VectorSession.open(DemoStage.sharingHints(), options)) {
        long nanos = System.nanoTime() - begin;
        AddressVector vector = session.vector();
        long filled = (long) NODES * SERVICES;
        report.check(
            vector.size() == filled + 1,
            "this process opens it, in %s with its domain, and sees %s peers"
                .formatted(Numbers.duration(nanos), Numbers.count(vector.size())));
        try (DemoEndpoint endpoint = new DemoEndpoint(session.domain(), vector)) {
          together(maker, vector, endpoint, report);
          maker.kill();
          report.say("process " + maker.pid() + " is killed");
          alone(vector, filled, report);
          successor(name, vector, endpoint, report);
        }
        leave(session, name, report);
      }
    }
  }

  /** Each uses what the other inserted. */
  private static void together(
      PeerProcess maker, AddressVector vector, DemoEndpoint endpoint, DemoReport report)
      throws IOException, InterruptedException {
    long own = vector.insert(endpoint.address());
    String found = maker.tell("find " + endpoint.address(), "found");
    report.check(
        found.equals(String.valueOf(own)),
        "what this process inserts as " + own + ", the other one finds as " + found);
    long its = vector.find(maker.address());
    maker.tell("deliver hello", "delivered");
    DemoEndpoint.Message message = endpoint.expect("the message by shared handle");
    report.check(
        message.text().equals("hello") && message.source() == its,
        "\"%s\" comes from source %s, which the other one inserted"
            .formatted(message.text(), message.source()));
  }

  private static void alone(AddressVector vector, long filled, DemoReport report) {
    FabricAddress last = FabricAddress.parse("fi_sockaddr_in://10.7.3.232:5015");
    long found = vector.find(last);
    report.check(
        vector.size() == filled + 2 && found == filled - 1 && vector.lookup(found).equals(last),
        "all " + Numbers.count(vector.size()) + " peers are there; " + last + " is still " + found);
    long next = vector.insert(FabricAddress.parse("fi_sockaddr_in://10.8.0.1:5000"));
    report.check(next == filled + 2, "the next peer gets the next handle, " + next);
  }

  /** A process that comes later. */
  private static void successor(
      String name, AddressVector vector, DemoEndpoint endpoint, DemoReport report)
      throws IOException, InterruptedException {
    try (PeerProcess later = PeerProcess.start("--reliable", "--shared", name)) {
      String size = later.tell("size", "size");
      String handle = later.tell("insert " + later.address(), "inserted");
      report.check(
          size.equals(String.valueOf(vector.size() - 1)),
          "process " + later.pid() + " comes later, sees " + size + " peers and adds itself");
      long its = Long.parseLong(handle);
      endpoint.post("welcome", its);
      endpoint.awaitDelivery();
      String heard = later.tell("receive", "received");
      report.check(
          heard.equals(vector.find(endpoint.address()) + " welcome"), "it receives: " + heard);
    }
  }

  private static void leave(VectorSession session, String name, DemoReport report) {
    SharedVectors vectors = session.domain().sharedVectors();
    boolean there = vectors.names().contains(name);
    session.vector().close();
    report.check(
        there && !vectors.names().contains(name),
        "the last process closes it, and nothing is left");
  }
}
