// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;

/** The peer is taken out of the vector and put in again. */
final class RemovalStep {
  private static final long USER_ID = 4242;

  private RemovalStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    DemoReport report = stage.report();
    AddressVector vector = stage.vector();
    DemoEndpoint endpoint = stage.endpoint();
    PeerProcess peer = stage.peer();
    long handle = vector.find(peer.address());
    long size = vector.size();

    vector.remove(handle);
    report.check(vector.size() == size - 1, "handle " + handle + " is removed");
    FabricException refused = refusal(endpoint, handle);
    report.check(
        refused != null && refused.errno() == Errno.EINVAL,
        "sending to it is refused: " + (refused == null ? "it was not" : refused.getMessage()));
    peer.tell("send do you know me", "sent");
    DemoEndpoint.Message stranger = endpoint.expect("a message of the removed peer");
    report.check(
        stranger.source() == Handles.NOT_AVAILABLE && peer.address().equals(stranger.sender()),
        "\"" + stranger.text() + "\" comes from an unknown sender again");

    Insertion insertion =
        vector.insert(List.of(peer.address()), InsertOptions.none().withUserIds(USER_ID)).orThrow();
    long again = insertion.handle(0);
    report.check(
        again == handle,
        "inserted again, with a user id, it has the lowest unused index, " + again);
    endpoint.send("welcome back", again);
    String heard = peer.tell("receive", "received");
    report.check(heard.equals("0 welcome back"), "the peer receives: " + heard);
    peer.tell("send thanks", "sent");
    DemoEndpoint.Message answer = endpoint.expect("the last answer");
    report.check(
        answer.text().equals("thanks") && answer.source() == USER_ID,
        "\"" + answer.text() + "\" comes from source " + answer.source() + ", the user id");
  }

  private static @Nullable FabricException refusal(DemoEndpoint endpoint, long handle) {
    try {
      endpoint.send("anybody there", handle);
      return null;
    } catch (FabricException refused) {
      return refused;
    }
  }
}
