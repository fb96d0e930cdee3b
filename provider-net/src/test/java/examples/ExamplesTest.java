// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.Refusal;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.tcp.SecureConnectionsTest;

/**
 * Each example that the javadoc of the module api shows does what it says. They are in its
 * directory snippet-files and are compiled with these tests, because they need a provider.
 */
class ExamplesTest {

  private static Hints hints(EndpointType type) {
    return Hints.latest().withEndpointType(type).withSource("127.0.0.1:0");
  }

  /** What an example with two endpoints works on. */
  private static final class Objects implements AutoCloseable {
    final Fabric fabric;
    final Domain domain;
    final AddressVector vector;
    final CompletionQueue queue;

    Objects(Hints hints, VectorOptions options) {
      fabric = Fabrics.open(hints);
      domain = fabric.openDomain();
      vector = domain.openAddressVector(options);
      queue = domain.openCompletionQueue();
    }

    Objects() {
      this(hints(EndpointType.RDM), VectorOptions.table());
    }

    ReliableEndpoint endpoint() {
      return domain.openReliableEndpoint(vector, queue);
    }

    Object context() throws InterruptedException {
      return queue.take(Rig.PATIENCE).context();
    }

    @Override
    public void close() {
      queue.close();
      vector.close();
      domain.close();
      fabric.close();
    }
  }

  @Test
  void vectors(@TempDir Path directory) throws IOException {
    Hints hints = Hints.latest().withProvider("udp").withDomain("lo");
    try (Objects objects = new Objects(hints, VectorOptions.table())) {
      assertThat(Vectors.insertFindAndRemove(objects.domain)).isEqualTo(256);
      assertThat(Vectors.insertPacked(objects.vector, 0x0A000001, 1_000)).isEqualTo(1_000);
      assertThat(objects.vector.lookup(999)).isEqualTo(FabricAddress.parse("10.0.3.232:5000"));
      Path peers =
          Files.writeString(directory.resolve("peers.txt"), "10.9.0.1x2 # two\n0.0.0.0\n?\n");
      assertThat(Vectors.insertAll(objects.vector, peers))
          .satisfiesExactly(
              known -> assertThat(known).contains("peers.txt:2: ", "0.0.0.0"),
              malformed -> assertThat(malformed).contains("peers.txt:3: \"?\": "));
    }
    hints = hints.withCapabilities(Capability.MSG, Capability.SHARED_AV);
    try (Objects objects = new Objects(hints, VectorOptions.table())) {
      assertThat(Vectors.share(objects.domain, "example/" + UUID.randomUUID()))
          .isEqualTo(FabricAddress.parse("10.1.1.7:5000"));
    }
  }

  @Test
  void firstMessage() throws InterruptedException {
    assertThat(Messages.firstMessage()).isEqualTo("hello to you");
  }

  @Test
  void requestAndReply() throws Exception {
    assertThat(Messages.ask()).isEqualTo("hello to you");
  }

  @Test
  void offers() {
    List<Refusal> refusals = new ArrayList<>();
    try (Fabric fabric = Messages.open(refusals)) {
      assertThat(fabric.info().endpoint().type()).isEqualTo(EndpointType.RDM);
    }
    assertThat(refusals).extracting(Refusal::provider).containsOnly("udp");
  }

  @Test
  void messages() throws InterruptedException {
    try (Objects objects = new Objects();
        Arena arena = Arena.ofShared()) {
      assertThat(Messages.exchange(objects.domain, objects.vector, objects.queue))
          .isEqualTo("hello");
      try (ReliableEndpoint server = objects.endpoint();
          ReliableEndpoint client = objects.endpoint()) {
        Messages.takeOrders(server, arena);
        Messages.order(
            client, objects.vector.insert(server.address()), MemorySegment.ofArray(new byte[500]));
        assertThat(
                List.of(objects.context(), objects.context(), objects.context(), objects.context()))
            .containsExactlyInAnyOrder("first order", "second order", "an order", "another order");
      }
    }
  }

  @Test
  void memoryOfAPeer() throws InterruptedException {
    Hints hints =
        hints(EndpointType.RDM).withCapabilities(Capability.RMA).withProgress(Progress.AUTO);
    try (Objects objects = new Objects(hints, VectorOptions.table());
        ReliableEndpoint server = objects.endpoint();
        ReliableEndpoint client = objects.endpoint()) {
      long peer = objects.vector.insert(server.address());
      assertThat(Messages.chalk(objects.domain, client, peer, objects.queue)).isEqualTo("hello");
    }
  }

  @Test
  void contexts() throws InterruptedException {
    Hints hints =
        hints(EndpointType.RDM)
            .withCapabilities(Capability.MSG, Capability.NAMED_RECEIVE_CONTEXT)
            .withTransmitContexts(1)
            .withReceiveContexts(3);
    try (Objects objects = new Objects(hints, VectorOptions.table().withReceiveContextBits(2));
        ScalableEndpoint endpoint = objects.domain.openScalableEndpoint(objects.vector)) {
      assertThat(Messages.toTheThird(endpoint, objects.vector, objects.queue))
          .isEqualTo("received by the third");
    }
  }

  @Test
  void queues() throws InterruptedException {
    try (Objects objects = new Objects();
        ReliableEndpoint endpoint = objects.endpoint()) {
      long self = objects.vector.insert(endpoint.address());
      endpoint.receive(MemorySegment.ofArray(new byte[64]), "a message");
      endpoint.inject(MemorySegment.ofArray(new byte[10]), self);
      assertThat(Queues.nextLength(objects.queue)).isEqualTo(10);

      for (String each : List.of("first", "second", "third")) {
        endpoint.receive(MemorySegment.ofArray(new byte[64]), each);
      }
      endpoint.inject(MemorySegment.ofArray(new byte[10]), self);
      assertThat(Queues.next(objects.queue)).isEqualTo("RECEIVE first of 10 bytes");
      endpoint.cancel("second");
      assertThat(Queues.next(objects.queue)).startsWith("RECEIVE second failed: ");

      endpoint.inject(MemorySegment.ofArray(new byte[10]), self);
      List<Object> ended = new ArrayList<>();
      assertThat(objects.queue.poll(Queues.listing(ended), 1, Rig.PATIENCE)).isEqualTo(1);
      endpoint.receive(MemorySegment.ofArray(new byte[64]), "fourth");
      endpoint.cancel("fourth");
      objects.queue.poll(Queues.listing(ended), 1, Rig.PATIENCE);
      assertThat(ended).containsExactly("third", Errno.ECANCELED);
    }
  }

  /** An event loop of one thread, which is this one. */
  @Test
  void toldQueues() throws InterruptedException {
    Hints hints = hints(EndpointType.RDM).withProgress(Progress.AUTO);
    try (Objects objects = new Objects(hints, VectorOptions.table());
        ReliableEndpoint endpoint = objects.endpoint()) {
      long self = objects.vector.insert(endpoint.address());
      List<Object> ended = new ArrayList<>();
      BlockingQueue<Runnable> eventLoop = new LinkedBlockingQueue<>();
      Queues.serve(objects.queue, Queues.listing(ended), eventLoop::add);
      for (String each : List.of("first", "second")) {
        endpoint.receive(MemorySegment.ofArray(new byte[64]), each);
        endpoint.inject(MemorySegment.ofArray(new byte[10]), self);
        while (!ended.contains(each)) {
          eventLoop.take().run();
        }
      }
    }
  }

  @Test
  void connections() throws InterruptedException {
    Hints hints = hints(EndpointType.MSG).withProgress(Progress.AUTO);
    try (Fabric fabric = Fabrics.open(hints);
        EventQueue listeningEvents = fabric.openEventQueue();
        EventQueue events = fabric.openEventQueue();
        Domain domain = fabric.openDomain();
        CompletionQueue queue = domain.openCompletionQueue();
        PassiveEndpoint listening =
            fabric.openPassiveEndpoint(PassiveOptions.of(listeningEvents))) {
      EndpointOptions ours = EndpointOptions.of(events, queue);
      EndpointOptions theirs = EndpointOptions.of(listeningEvents, queue);
      try (ConnectedEndpoint stranger = domain.openConnectedEndpoint(ours)) {
        stranger.connect(listening.address());
        // Or the client's request might come first, and the stranger's would never be answered.
        Awaitility.await().forever().until(() -> listeningEvents.peek() != null);
        try (ConnectedEndpoint client = Connections.connect(domain, ours, listening.address());
            ConnectedEndpoint server =
                Connections.accept(listening, listeningEvents, domain, theirs)) {
          List<Event> seen = new ArrayList<>();
          Awaitility.await()
              .forever()
              .until(() -> {
                events.poll(seen::add, 2);
                return seen.size() == 2;
              });
          assertThat(seen)
              .hasAtLeastOneElementOfType(Event.Failure.class)
              .hasAtLeastOneElementOfType(Event.Connected.class);
          server.receive(MemorySegment.ofArray(new byte[64]), "received");
          client.inject(MemorySegment.ofArray(new byte[10]), Handles.UNSPECIFIED);
          assertThat(queue.take(Rig.PATIENCE).context()).isEqualTo("received");
        }
      }
    }
  }

  @Test
  void encryption() throws Exception {
    Path directory =
        Path.of(SecureConnectionsTest.class.getResource("security/one.pem").toURI()).getParent();
    try (Objects objects = new Objects();
        ReliableEndpoint one =
            Connections.encrypted(objects.domain, objects.vector, objects.queue, directory);
        ReliableEndpoint other =
            Connections.encrypted(objects.domain, objects.vector, objects.queue, directory)) {
      other.receive(MemorySegment.ofArray(new byte[64]), "received");
      one.inject(MemorySegment.ofArray(new byte[10]), objects.vector.insert(other.address()));
      assertThat(objects.context()).isEqualTo("received");
    }
  }
}
