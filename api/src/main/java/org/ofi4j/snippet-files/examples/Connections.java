// SPDX-License-Identifier: Apache-2.0
package examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.time.Duration;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransportSecurity;

/** Connections that the application makes, and encrypted ones. A test runs what javadoc shows. */
final class Connections {
  private Connections() {}

  // @start region="connect"
  static ConnectedEndpoint connect(
      Domain domain, EndpointOptions options, FabricAddress listening) {
    ConnectedEndpoint client = domain.openConnectedEndpoint(options); // of events and a queue
    client.connect(listening, "I am number 7".getBytes(UTF_8));
    return client; // can send after Event.Connected
  }

  // @end

  // @start region="accept"
  static ConnectedEndpoint accept(
      PassiveEndpoint listening, EventQueue events, Domain domain, EndpointOptions options)
      throws InterruptedException {
    while (events.read(Duration.ofSeconds(5)) instanceof Event.ConnectionRequest request) {
      if (new String(request.connectionData(), UTF_8).equals("I am number 7")) {
        ConnectedEndpoint server = domain.openConnectedEndpoint(request.info(), options);
        server.accept("welcome".getBytes(UTF_8));
        return server; // can send after Event.Connected
      }
      listening.reject(request.info().handle());
    }
    throw new IllegalStateException("number 7 does not connect");
  }

  // @end

  // @start region="security"
  static ReliableEndpoint encrypted(
      Domain domain, AddressVector vector, CompletionQueue queue, Path directory) {
    TransportSecurity security =
        TransportSecurity.pem(
            directory.resolve("one.pem"), // this endpoint's certificate
            directory.resolve("one.key"),
            directory.resolve("authority.pem")); // whose signatures it trusts
    ConnectionOptions connections = ConnectionOptions.defaults().withSecurity(security);
    return domain.openReliableEndpoint(
        EndpointOptions.of(vector, queue).withConnections(connections));
  }
  // @end
}
