// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.VectorOptions;

/** Messages of a process that was replaced as a rank, and does not know it. */
class ReplacedMemberMessagesTest {
  private static final Duration LONG = Duration.ofDays(1);

  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
  }

  /** A process of the job, with an endpoint. */
  private static final class Rank implements AutoCloseable {
    final Fabric fabric =
        Fabrics.open(
            Hints.reliable()
                .withProvider("tcp")
                .withSource("127.0.0.1:0")
                .withProgress(Progress.AUTO)
                .withMoreCapabilities(Capability.SOURCE, Capability.DIRECTED_RECEIVE));
    final Domain domain = fabric.openDomain();
    final AddressVector vector = domain.openAddressVector(VectorOptions.table());
    final CompletionQueue queue = domain.openCompletionQueue();
    final ReliableEndpoint endpoint =
        domain.openReliableEndpoint(EndpointOptions.of(vector, queue));
    final MemorySegment buffer = MemorySegment.ofArray(new byte[16]);

    CompletableFuture<Membership> join(TestTree.Process process, int rank, Events events) {
      return CompletableFuture.supplyAsync(
          () ->
              process
                  .cluster()
                  .job("job", 2)
                  .join(
                      vector, endpoint.address(), rank, LONG, MemberOptions.none(), events::heard),
          task -> Thread.ofVirtual().start(task));
    }

    void send(int peer, String context) throws InterruptedException {
      endpoint.send(MemorySegment.ofArray(context.getBytes()), peer, context);
      assertThat(next().context()).isEqualTo(context);
    }

    Completion.Success next() throws InterruptedException {
      return queue.take(LONG);
    }

    @Override
    public void close() {
      endpoint.close();
      queue.close();
      vector.close();
      domain.close();
      fabric.close();
    }
  }

  @Test
  void messageOfReplacedMemberHasNoSourceAndMeetsNoDirectedReceive() throws Exception {
    try (Rank zero = new Rank();
        Rank former = new Rank();
        Rank successor = new Rank()) {
      Events events = new Events();
      CompletableFuture<Membership> first = zero.join(tree.process("host0"), 0, events);
      tree.session = TestTree.SHORT_SESSION;
      try (Link link = new Link(tree.server.getConnectString())) {
        CompletableFuture<Membership> replaced =
            former.join(tree.process("host1", link), 1, new Events());
        try (Membership _ = first.join();
            Membership _ = replaced.join()) {
          events.next(MemberEvent.Joined.class);
          events.next(MemberEvent.Joined.class);
          zero.endpoint.receive(zero.buffer, "any");
          former.send(0, "as rank 1");
          Completion.Success known = zero.next();
          assertThat(known.source()).isEqualTo(1);

          link.cut();
          events.next(MemberEvent.Left.class, "1");
          try (Membership _ = successor.join(tree.process("host2"), 1, new Events()).join()) {
            events.next(MemberEvent.Joined.class, "1");
            zero.endpoint.receive(
                new ReceiveRequest().memory(zero.buffer).source(1).context("directed"));
            zero.endpoint.receive(MemorySegment.ofArray(new byte[16]), "any");
            former.send(0, "late");
            Completion.Success late = zero.next();
            assertThat(late.context()).isEqualTo("any");
            assertThat(late.source()).isEqualTo(Handles.NOT_AVAILABLE);

            successor.send(0, "as rank 1");
            Completion.Success directed = zero.next();
            assertThat(directed.context()).isEqualTo("directed");
            assertThat(directed.source()).isEqualTo(1);
            // Else the members wait for it when they are closed.
            link.mend();
          }
        }
      }
    }
  }
}
