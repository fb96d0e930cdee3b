// SPDX-License-Identifier: Apache-2.0
package examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Messenger;
import org.ofi4j.ReceiveContext;
import org.ofi4j.Refusal;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemoteMemory;
import org.ofi4j.RemotePlace;
import org.ofi4j.RequestReply;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiver;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;
import org.ofi4j.TransmitContext;
import org.ofi4j.WriteRequest;

/** Messages and memory of peers. Javadoc shows the methods, and a test runs them. */
final class Messages {
  private Messages() {}

  // @start region="first"
  static String firstMessage() throws InterruptedException {
    try (Messenger server = Fabrics.tcp("127.0.0.1:0");
        Messenger client = Fabrics.tcp("127.0.0.1:0")) {
      client.send("hello", client.insert(server.address()));
      Messenger.Message request = server.receive(Duration.ofSeconds(5));
      server.send(
          "hello to you", request.source()); // the client was inserted when its message came
      return client.receive(Duration.ofSeconds(5)).text();
    }
  }

  // @end

  // @start region="ask"
  static String ask() throws Exception {
    try (RequestReply server =
            RequestReply.of(Fabrics.tcp("127.0.0.1:0"), request -> request.reply("hello to you"));
        RequestReply client = RequestReply.of(Fabrics.tcp("127.0.0.1:0"))) {
      long peer = client.messenger().insert(server.messenger().address());
      byte[] request = "hello".getBytes(UTF_8);
      return client.ask(request, peer, Duration.ofSeconds(5)).get().text();
    }
  }

  // @end

  // @start region="offers"
  static Fabric open(List<Refusal> refusals) {
    Hints hints =
        Hints.reliable()
            .withCapabilities(Capability.MSG, Capability.TAGGED)
            .withSource("127.0.0.1:0");
    InfoAnswer answer = Fabrics.info(hints);
    refusals.addAll(answer.refusals()); // the provider udp: it has no endpoints of type RDM
    return Fabrics.open(answer.best());
  }

  // @end

  // @start region="reliable"
  static String exchange(Domain domain, AddressVector vector, CompletionQueue queue)
      throws InterruptedException {
    try (ReliableEndpoint server = domain.openReliableEndpoint(vector, queue);
        ReliableEndpoint client = domain.openReliableEndpoint(vector, queue);
        Arena arena = Arena.ofShared()) {
      MemorySegment buffer = arena.allocate(1_000);
      server.receive(buffer, "received");
      client.send(arena.allocateFrom("hello"), vector.insert(server.address()), "sent");
      queue.take(Duration.ofSeconds(5)); // that one is sent and that one received,
      queue.take(Duration.ofSeconds(5)); // in either order
      return buffer.getString(0);
    }
  }

  // @end

  // @start region="tagged"
  static void order(TaggedSender client, long server, MemorySegment goods) {
    TaggedSendRequest request = new TaggedSendRequest().memory(goods).destination(server);
    client.sendTagged(request.tag(0x71).context("first order"));
    // The same object serves for the next one: now the completion says that the server has it.
    client.sendTagged(
        request.tag(0x72).context("second order").completes(CompletionLevel.DELIVERED));
  }

  static void takeOrders(TaggedReceiver server, Arena arena) {
    TagPattern orders =
        TagPattern.exactly(0x70).withIgnored(0xF); // the last four bits do not count
    server.receiveTagged(arena.allocate(1_000), orders, "an order");
    server.receiveTagged(arena.allocate(1_000), orders, "another order");
  }

  // @end

  // @start region="write"
  static String chalk(Domain domain, RemoteMemory client, long server, CompletionQueue queue)
      throws InterruptedException {
    MemorySegment board = MemorySegment.ofArray(new byte[64]); // memory of the server
    try (MemoryRegion region = domain.register(board, Access.REMOTE_WRITE)) {
      byte[] told = region.place().toBytes(); // the server sends these bytes to the client

      // The client does the rest.
      RemotePlace place = RemotePlace.of(told);
      WriteRequest request = new WriteRequest().destination(server).place(place, 10);
      request.memory(MemorySegment.ofArray("hello".getBytes(UTF_8)));
      client.write(request.completes(CompletionLevel.DELIVERED));
      queue.take(Duration.ofSeconds(5)); // the bytes are there
      return board.getString(10);
    }
  }

  // @end

  // @start region="scalable"
  static Object toTheThird(ScalableEndpoint endpoint, AddressVector vector, CompletionQueue queue)
      throws InterruptedException {
    ContextOptions options = ContextOptions.of(queue);
    try (TransmitContext sends = endpoint.openTransmitContext(0, options);
        ReceiveContext receives = endpoint.openReceiveContext(2, options)) {
      receives.receive(MemorySegment.ofArray(new byte[64]), "received by the third");
      long self = vector.insert(endpoint.address());
      // The vector was opened with 2 receive context bits, which are enough for four contexts.
      sends.inject(MemorySegment.ofArray(new byte[8]), vector.atReceiveContext(self, 2));
      return queue.take(Duration.ofSeconds(5)).context();
    }
  }
  // @end
}
