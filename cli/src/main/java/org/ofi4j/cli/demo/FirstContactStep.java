// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.cli.output.Numbers;

/** A second JVM sends to this one, which does not know it and learns its address from the error. */
final class FirstContactStep {
  private FirstContactStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    DemoReport report = stage.report();
    AddressVector vector = stage.vector();
    DemoEndpoint endpoint = stage.endpoint();
    long begin = System.nanoTime();
    PeerProcess peer = stage.peer();
    report.say(
        "process %s is up after %s at %s"
            .formatted(peer.pid(), Numbers.duration(System.nanoTime() - begin), peer.address()));
    report.say("this one is at " + endpoint.address() + ", provider " + stage.provider());
    peer.tell("insert " + endpoint.address(), "inserted");
    peer.tell("send hello", "sent");

    DemoEndpoint.Message first = endpoint.expect("the first message");
    FabricAddress sender = first.sender();
    report.check(
        first.text().equals("hello") && first.source() == Handles.NOT_AVAILABLE && sender != null,
        "\"" + first.text() + "\" comes from an unknown sender, in an entry with errno 99");
    report.check(peer.address().equals(sender), "the entry carries the sender's address " + sender);
    report.check(
        vector.find(peer.address()) == Handles.NOT_AVAILABLE, "nothing was inserted by itself");
    long handle = vector.insert(sender == null ? peer.address() : sender);
    report.check(
        vector.find(peer.address()) == handle,
        "inserted as it is, the address is handle " + handle);
  }
}
