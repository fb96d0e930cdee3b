// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.peers.VectorSession;

/**
 * Two tenants with a key each: both reach the endpoint that holds both keys, and not each other.
 */
final class TenantsStep {
  private static final SecureRandom RANDOM = new SecureRandom();

  private TenantsStep() {}

  static void run(DemoStage stage) throws IOException, InterruptedException {
    DemoReport report = stage.report();
    byte[] first = key();
    byte[] second = key();
    try (VectorSession session =
        VectorSession.open(DemoStage.keyedHints(), VectorOptions.table())) {
      AddressVector vector = session.vector();
      long firstKey = vector.insertAuthKey(first);
      long secondKey = vector.insertAuthKey(second);
      try (DemoEndpoint endpoint = new DemoEndpoint(session.domain(), vector);
          PeerProcess one = PeerProcess.startUnderKey(first);
          PeerProcess other = PeerProcess.startUnderKey(second)) {
        report.say(
            ("this endpoint holds both keys; tenant 1 is process %s with the first,"
                    + " tenant 2 process %s with the second")
                .formatted(one.pid(), other.pid()));
        talk(endpoint, one, "tenant 1", insert(vector, one.address(), firstKey), report);
        talk(endpoint, other, "tenant 2", insert(vector, other.address(), secondKey), report);
        stranger(one, other, "tenant 1", "tenant 2", report);
        stranger(other, one, "tenant 2", "tenant 1", report);
      }
    }
  }

  private static byte[] key() {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    RANDOM.nextBytes(key);
    return key;
  }

  private static long insert(AddressVector vector, FabricAddress address, long key) {
    return vector.insert(List.of(address), InsertOptions.none().withAuthKeys(key)).handles()[0];
  }

  private static void talk(
      DemoEndpoint endpoint, PeerProcess tenant, String name, long handle, DemoReport report)
      throws IOException, InterruptedException {
    tenant.tell("insert " + endpoint.address(), "inserted");
    tenant.tell("deliver hello of " + name, "delivered");
    DemoEndpoint.Message message = endpoint.expect("the message of " + name);
    report.check(
        message.text().equals("hello of " + name) && message.source() == handle,
        "\"" + message.text() + "\" comes from handle " + message.source() + ", under its key");
    endpoint.post("welcome", handle);
    endpoint.awaitDelivery();
    String heard = tenant.tell("receive", "received");
    report.check(heard.endsWith("welcome"), name + " receives: " + heard);
  }

  /** A message to an address that is known, under a key that is not held there. */
  private static void stranger(
      PeerProcess from, PeerProcess to, String its, String other, DemoReport report)
      throws IOException, InterruptedException {
    from.tell("insert " + to.address(), "inserted");
    String reason = from.tell("deliver psst", "refused");
    report.check(
        reason.endsWith("EKEYREJECTED"), its + " sends to the address of " + other + ": " + reason);
    String heard = to.tell("look", "error");
    report.check(heard.equals("no message came"), other + " looks for it: " + heard);
  }
}
