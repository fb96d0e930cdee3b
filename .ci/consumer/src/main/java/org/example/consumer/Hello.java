// SPDX-License-Identifier: Apache-2.0
package org.example.consumer;

import java.time.Duration;
import org.ofi4j.Fabrics;
import org.ofi4j.Messenger;

/** Sends a message from one endpoint to another over each protocol, and fails unless it arrives. */
final class Hello {
  private Hello() {}

  public static void main(String[] arguments) throws InterruptedException {
    exchange("udp", Fabrics.udp("127.0.0.1:0"), Fabrics.udp("127.0.0.1:0"));
    exchange("tcp", Fabrics.tcp("127.0.0.1:0"), Fabrics.tcp("127.0.0.1:0"));
  }

  private static void exchange(String protocol, Messenger server, Messenger client)
      throws InterruptedException {
    try (server;
        client) {
      client.send("hello over " + protocol, client.insert(server.address()));
      Messenger.Message received = server.receive(Duration.ofMinutes(1));
      if (received == null || !received.text().equals("hello over " + protocol)) {
        throw new IllegalStateException("received " + received + " over " + protocol);
      }
      System.out.println("received: " + received.text());
    }
  }
}
