// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;

/** Several endpoints of one domain, of which none may notice what becomes of the others. */
final class IsolationProgram {
  private static final int SMALL = 64;
  private static final int LARGE = 8_192;
  private static final int ENDPOINTS = 4;

  /** The orders in which endpoints are closed: by index among those that are left. */
  private static final List<List<Integer>> ORDERS =
      List.of(
          List.of(0, 0, 0, 0),
          List.of(3, 2, 1, 0),
          List.of(1, 2, 0, 0),
          List.of(2, 0, 1, 0),
          List.of(0, 2, 0, 0));

  private final String provider;

  private IsolationProgram(String provider) {
    this.provider = provider;
  }

  /** The providers to try. */
  public static void main(String[] providers) {
    Scenarios scenarios = new Scenarios(60);
    for (String provider : providers) {
      IsolationProgram program = new IsolationProgram(provider);
      scenarios.add(provider + ": tagged messages of another endpoint", program::tagged);
      for (List<Integer> order : ORDERS) {
        scenarios.add(provider + ": closed in the order " + order, () -> program.closed(order));
      }
      scenarios
          .add(provider + ": closed with a thread that moves data", program::closedAutomatically)
          .add(provider + ": closed before its peers have connected", program::closedEarly)
          .add(provider + ": closed in the middle of large messages", program::closedInTheMiddle)
          .add(provider + ": opened and closed often", program::reopened)
          .add(provider + ": regions through all endpoints", program::regions)
          .add(provider + ": a small queue of many endpoints", program::smallQueue);
      if (!new LibfabricProvider()
          .info(Rig.hints(provider).withCapabilities(Capability.MSG, Capability.SOURCE))
          .offers()
          .isEmpty()) {
        scenarios.add(provider + ": sources of all endpoints", program::sources);
      }
    }
    scenarios.runAndExit();
  }

  private void closed(List<Integer> order) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      List<ReliableEndpoint> left = new ArrayList<>();
      for (int i = 0; i < ENDPOINTS; i++) {
        left.add(rig.endpoint());
      }
      for (int next : order) {
        exchangeAll(rig, left);
        ReliableEndpoint closing = left.remove(next);
        for (ReliableEndpoint each : left) {
          leaveUnderWay(rig, closing, each);
        }
        closing.close();
        exchangeAll(rig, left);
      }
    }
  }

  private static void exchangeAll(Rig rig, List<ReliableEndpoint> endpoints) throws Exception {
    for (ReliableEndpoint from : endpoints) {
      for (ReliableEndpoint to : endpoints) {
        for (int size : new int[] {SMALL, LARGE}) {
          long tag = size << 8 | endpoints.indexOf(from) << 4 | endpoints.indexOf(to);
          MemorySegment buffer = memory(size);
          to.receiveTagged(buffer, TagPattern.exactly(tag), "received");
          from.sendTagged(
              new TaggedSendRequest()
                  .memory(pattern(memory(size), size))
                  .destination(rig.insert(to))
                  .tag(tag)
                  .context("sent"));
          rig.success("received");
          rig.success("sent");
          assertPattern(buffer, size, size);
        }
      }
    }
  }

  /** Posts what closing the one endpoint finds, without waiting for its end. */
  private static void leaveUnderWay(Rig rig, ReliableEndpoint closing, ReliableEndpoint other) {
    closing.receive(memory(LARGE), "dropped");
    closing.send(memory(SMALL), rig.insert(other), "dropped");
    closing.send(memory(LARGE), rig.insert(other), "dropped");
    closing.sendTagged(
        new TaggedSendRequest()
            .memory(memory(LARGE))
            .destination(rig.insert(other))
            .tag(1)
            .context("dropped"));
    other.send(memory(SMALL), rig.insert(closing), "dropped");
    other.sendTagged(
        new TaggedSendRequest()
            .memory(memory(LARGE))
            .destination(rig.insert(closing))
            .tag(1)
            .context("dropped"));
  }

  private void closedAutomatically() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider).withProgress(Progress.AUTO))) {
      ReliableEndpoint kept = rig.endpoint();
      for (int i = 0; i < 20; i++) {
        ReliableEndpoint closing = rig.endpoint();
        if (i % 2 == 0) {
          exchangeAll(rig, List.of(closing, kept));
        }
        leaveUnderWay(rig, closing, kept);
        closing.close();
        exchangeAll(rig, List.of(kept));
      }
    }
  }

  /** A peer has connected and said nothing when the endpoint is closed, and speaks then. */
  private void closedEarly() throws Exception {
    for (int i = 0; i < 10; i++) {
      try (Rig rig = new Rig(Rig.hints(provider));
          CompletionQueue other = rig.domain.openCompletionQueue()) {
        ReliableEndpoint sender = rig.endpoint();
        ReliableEndpoint closing = rig.domain.openReliableEndpoint(rig.vector, other);
        ReliableEndpoint kept = rig.endpoint();
        sender.send(memory(SMALL), rig.insert(closing), "dropped");
        other.read();
        closing.close();
        exchangeAll(rig, List.of(sender, kept));
      }
    }
  }

  /** Parts of messages have been received when the endpoint is closed. */
  private void closedInTheMiddle() throws Exception {
    MemorySegment message = memory(1 << 24);
    try (Rig senders = new Rig(Rig.hints(provider));
        Rig receivers = new Rig(Rig.hints(provider))) {
      ReliableEndpoint sender = senders.endpoint();
      ReliableEndpoint kept = receivers.endpoint();
      for (int i = 0; i < 10; i++) {
        ReliableEndpoint closing =
            receivers.domain.openReliableEndpoint(receivers.vector, receivers.queue);
        long to = senders.insert(closing);
        for (int k = 0; k < 5; k++) {
          closing.receive(memory(1 << 24), "large received");
          sender.send(message.asSlice(0, k % 2 == 0 ? 100_000 : 1 << 24), to, "large sent");
        }
        // The first message has come, and a part of another one.
        assertThat(next(senders, receivers)).isInstanceOf(Completion.Success.class);
        for (int moves = 0; moves < 3 * i; moves++) {
          senders.move();
          receivers.move();
        }
        closing.close();
        exchangeAll(receivers, List.of(kept));
        while (receivers.next(Duration.ZERO) != null) {
          // Of the endpoint that was closed.
        }
      }
    }
  }

  private void reopened() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint kept = rig.endpoint();
      for (int i = 0; i < 100; i++) {
        try (ReliableEndpoint next = rig.domain.openReliableEndpoint(rig.vector, rig.queue)) {
          exchangeAll(rig, List.of(kept, next));
          rig.vector.remove(rig.insert(next));
        }
      }
      exchangeAll(rig, List.of(kept, rig.endpoint()));
    }
  }

  /** A tagged message comes before its endpoint has a receive, while another endpoint has one. */
  private void tagged() throws Exception {
    try (Rig receivers = new Rig(Rig.hints(provider));
        Rig senders = new Rig(Rig.hints(provider))) {
      ReliableEndpoint one = receivers.endpoint();
      ReliableEndpoint two = receivers.endpoint();
      ReliableEndpoint sender = senders.endpoint();
      long toOne = senders.insert(one);
      long toTwo = senders.insert(two);
      for (int size : new int[] {SMALL, LARGE}) {
        sender.sendTagged(
            new TaggedSendRequest()
                .memory(pattern(memory(size), 1))
                .destination(toOne)
                .tag(5)
                .context("sent"));
        awaitUnexpected(senders, receivers, one);
        MemorySegment intoTwo = memory(size);
        two.receiveTagged(intoTwo, TagPattern.any(), "two");
        sender.sendTagged(
            new TaggedSendRequest()
                .memory(pattern(memory(size), 2))
                .destination(toTwo)
                .tag(6)
                .context("sent"));
        assertThat(success(senders, receivers).tag()).isEqualTo(6);
        assertPattern(intoTwo, size, 2);
        MemorySegment intoOne = memory(size);
        one.receiveTagged(intoOne, TagPattern.any(), "one");
        assertThat(success(senders, receivers).tag()).isEqualTo(5);
        assertPattern(intoOne, size, 1);
      }
    }
  }

  /** Searches until a message waits for a receive of an endpoint. */
  private static void awaitUnexpected(Rig senders, Rig receivers, ReliableEndpoint endpoint)
      throws Exception {
    Completion found;
    do {
      endpoint.tryReceiveTagged(
          new TaggedReceiveRequest()
              .memory(memory(0))
              .pattern(TagPattern.any())
              .mode(ReceiveMode.PEEK)
              .context("search"));
      found = next(senders, receivers);
    } while (found instanceof Completion.Failure none && none.errno() == Errno.ENOMSG);
    assertThat(found).isInstanceOf(Completion.Success.class);
  }

  private static Completion.Success success(Rig senders, Rig receivers) throws Exception {
    Completion next = next(senders, receivers);
    assertThat(next).isInstanceOf(Completion.Success.class);
    return (Completion.Success) next;
  }

  /** The next completion of the receivers, while the data of both ends is moved. */
  private static Completion next(Rig senders, Rig receivers) throws Exception {
    while (true) {
      senders.move();
      Completion next = receivers.next(Duration.ZERO);
      if (next != null) {
        return next;
      }
    }
  }

  private void regions() throws Exception {
    Hints hints =
        Rig.hints(provider)
            .withCapabilities(Capability.MSG, Capability.RMA)
            .withMemoryRegionModes(MemoryRegionMode.UNPROTECTED);
    try (Rig rig = new Rig(hints);
        TransferMemory memory = rig.domain.allocate(2 * LARGE)) {
      ReliableEndpoint first = rig.endpoint();
      try (MemoryRegion region =
          rig.domain.register(memory.segment(), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        ReliableEndpoint second = rig.endpoint();
        ReliableEndpoint third = rig.endpoint();
        int seed = 1;
        for (ReliableEndpoint owner : List.of(first, second)) {
          for (int size : new int[] {SMALL, LARGE}) {
            write(rig, third, owner, region, size, seed++);
          }
        }
        first.close();
        write(rig, third, second, region, LARGE, seed++);
        write(rig, second, third, region, LARGE, seed++);
      }
      try (MemoryRegion next =
          rig.domain.register(memory.segment(), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        ReliableEndpoint fourth = rig.endpoint();
        write(rig, fourth, fourth, next, LARGE, 40);
      }
    }
  }

  private static void write(
      Rig rig,
      ReliableEndpoint writer,
      ReliableEndpoint owner,
      MemoryRegion region,
      int size,
      int seed)
      throws Exception {
    writer.write(pattern(memory(size), seed), rig.insert(owner), region.place(), "written");
    rig.success("written");
    MemorySegment back = memory(size);
    writer.read(back, rig.insert(owner), region.place(), "read");
    rig.success("read");
    assertPattern(back, size, seed);
  }

  /** Endpoints that have nothing to report leave the space in their queue to others. */
  private void smallQueue() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        CompletionQueue small =
            rig.domain.openCompletionQueue(
                CompletionQueueOptions.of(CompletionFormat.TAGGED).withSize(4))) {
      List<ReliableEndpoint> endpoints = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        endpoints.add(rig.domain.openReliableEndpoint(EndpointOptions.of(rig.vector, small)));
      }
      for (ReliableEndpoint to : endpoints) {
        Set<Object> expected = new HashSet<>();
        for (int i = 0; i < 8; i++) {
          to.receive(memory(SMALL), "received " + i);
          expected.add("received " + i);
          endpoints.getFirst().send(memory(SMALL), rig.insert(to), "sent " + i);
          expected.add("sent " + i);
        }
        while (!expected.isEmpty()) {
          Completion next = small.read(Rig.PATIENCE);
          assertThat(next).isInstanceOf(Completion.Success.class);
          assertThat(expected.remove(((Completion.Success) next).context())).isTrue();
        }
      }
      endpoints.forEach(ReliableEndpoint::close);
    }
  }

  /** Endpoints that were opened before and after their peer was inserted name it as the source. */
  private void sources() throws Exception {
    try (Rig rig =
        new Rig(Rig.hints(provider).withCapabilities(Capability.MSG, Capability.SOURCE))) {
      ReliableEndpoint sender = rig.endpoint();
      ReliableEndpoint before = rig.endpoint();
      long source = rig.insert(sender);
      ReliableEndpoint after = rig.endpoint();
      for (ReliableEndpoint to : List.of(before, after, sender)) {
        to.receive(memory(SMALL), "received");
        sender.send(memory(SMALL), rig.insert(to), "sent");
        assertThat(rig.success("received").source()).isEqualTo(source);
        rig.success("sent");
      }
      before.close();
      after.receive(memory(SMALL), "received");
      sender.send(memory(SMALL), rig.insert(after), "sent");
      assertThat(rig.success("received").source()).isEqualTo(source);
    }
  }
}
