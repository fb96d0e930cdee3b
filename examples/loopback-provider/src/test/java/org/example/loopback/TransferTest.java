// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.WriteRequest;

/** Messages and remote access to memory between endpoints of the provider. */
class TransferTest {
  /** Longer than any test takes; a test that waits in vain is ended by its runner. */
  private static final Duration PATIENCE = Duration.ofDays(1);

  /** An endpoint with a queue of its own, in a domain that it may share. */
  private final class Peer {
    final CompletionQueue queue = domain.openCompletionQueue();
    final ReliableEndpoint endpoint =
        (ReliableEndpoint) domain.openEndpoint(EndpointOptions.of(vector, queue));
    final long handle = vector.insert(endpoint.address());

    Peer() {
      peers.add(this);
    }

    Completion next() throws InterruptedException {
      return queue.read(PATIENCE);
    }

    Completion.Success success() throws InterruptedException {
      return assertInstanceOf(Completion.Success.class, next());
    }

    Completion.Failure failure() throws InterruptedException {
      return assertInstanceOf(Completion.Failure.class, next());
    }

    void close() {
      endpoint.close();
      queue.close();
    }
  }

  private final List<Peer> peers = new ArrayList<>();
  private Fabric fabric;
  private Domain domain;
  private AddressVector vector;

  private void open(Progress progress) {
    fabric =
        Fabrics.open(Hints.reliable().withProvider(LoopbackProvider.NAME).withProgress(progress));
    domain = fabric.openDomain();
    vector = domain.openAddressVector(VectorOptions.table());
  }

  @AfterEach
  void close() {
    peers.forEach(Peer::close);
    vector.close();
    domain.close();
    fabric.close();
  }

  private static MemorySegment memory(int... bytes) {
    MemorySegment memory = Arena.ofAuto().allocate(bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) bytes[i]);
    }
    return memory;
  }

  private static int first(MemorySegment memory) {
    return memory.get(ValueLayout.JAVA_BYTE, 0);
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  void receiveTakesTheFirstMessageWithItsTag(Progress progress) throws InterruptedException {
    open(progress);
    Peer here = new Peer();
    Peer there = new Peer();
    for (int i = 1; i <= 3; i++) {
      here.endpoint.sendTagged(
          new TaggedSendRequest()
              .memory(memory(i))
              .destination(there.handle)
              .tag(0x10 + i)
              .context(i));
      assertEquals(i, here.success().context());
    }

    MemorySegment second = memory(0);
    there.endpoint.receiveTagged(second, TagPattern.exactly(0x12), "second");
    assertEquals(0x12, there.success().tag());
    assertEquals(2, first(second));
    MemorySegment any = memory(0);
    there.endpoint.receiveTagged(any, TagPattern.exactly(0x10).withIgnored(0xF), "any");
    Completion.Success received = there.success();
    assertEquals(0x11, received.tag());
    assertEquals(here.handle, received.source());
    assertEquals(1, first(any));
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  void peersReadAndWriteRegisteredMemory(Progress progress) throws InterruptedException {
    open(progress);
    Peer here = new Peer();
    Peer there = new Peer();
    MemorySegment shared = memory(1, 2, 3, 4);
    MemoryRegion region =
        domain.register(shared, RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE));
    RemotePlace place = region.place();

    here.endpoint.write(
        new WriteRequest()
            .memory(memory(7, 8))
            .destination(there.handle)
            .place(place, 1)
            .data(5)
            .context("written"));
    Completion.Success notice = there.success();
    assertTrue((notice.flags() & CompletionFlag.REMOTE_WRITE.mask()) != 0);
    assertEquals(5, notice.data());
    assertEquals("written", here.success().context());
    assertEquals(7, shared.get(ValueLayout.JAVA_BYTE, 1));

    MemorySegment into = memory(0, 0, 0, 0);
    here.endpoint.read(into, there.handle, place, "read");
    // With manual progress, a thread that reads the queue of a peer answers.
    assertNull(there.queue.read());
    assertEquals("read", here.success().context());
    assertEquals(-1, into.mismatch(shared));
    region.close();
    here.endpoint.read(into, there.handle, place, "closed");
    assertNull(there.queue.read());
    assertEquals(Errno.EACCES, here.failure().errno());
  }

  @Test
  void memoryBeyondARegionIsOutOfReach() throws InterruptedException {
    open(Progress.AUTO);
    Peer here = new Peer();
    Peer there = new Peer();
    MemoryRegion region = domain.register(memory(1, 2), RegisterOptions.of(Access.REMOTE_READ));
    RemotePlace beyond = new RemotePlace(1, 2, region.key());

    here.endpoint.read(memory(0, 0), there.handle, beyond, "beyond");
    assertEquals(Errno.EACCES, here.failure().errno());
    here.endpoint.write(memory(0), there.handle, region.place(), "not granted");
    assertEquals(Errno.EACCES, here.failure().errno());
    region.close();
  }

  @Test
  void deliveredMessageHasBeenTakenByAReceive() throws InterruptedException {
    open(Progress.MANUAL);
    Peer here = new Peer();
    Peer there = new Peer();
    here.endpoint.send(
        new SendRequest()
            .memory(memory(1))
            .destination(there.handle)
            .completes(CompletionLevel.DELIVERED)
            .context("delivered"));
    assertNull(there.queue.read());
    assertNull(here.queue.read());

    there.endpoint.receive(memory(0), "received");

    assertEquals("received", there.success().context());
    assertEquals("delivered", here.success().context());
  }

  @Test
  void closingAnEndpointFailsTheSendsThatWaitForIt() throws InterruptedException {
    open(Progress.MANUAL);
    Peer here = new Peer();
    Peer there = new Peer();
    SendRequest request =
        new SendRequest()
            .memory(memory(1))
            .destination(there.handle)
            .completes(CompletionLevel.DELIVERED);
    here.endpoint.send(request.context("early"));
    assertNull(there.queue.read());
    here.endpoint.send(request.context("in the inbox"));

    there.endpoint.close();

    assertEquals("early", here.failure().context());
    assertEquals("in the inbox", here.failure().context());
    here.endpoint.send(request.context("unreachable"));
    assertEquals(Errno.ECONNREFUSED, here.failure().errno());
  }

  @Test
  void senderStopsWhenItsPeerTakesNothing() throws InterruptedException {
    open(Progress.MANUAL);
    Peer here = new Peer();
    Peer there = new Peer();
    int sent = 0;
    while (here.endpoint.trySend(memory(sent), there.handle, sent)) {
      sent++;
      here.queue.read();
    }
    assertFalse(here.endpoint.trySend(memory(0), there.handle, "more"));

    for (int i = 0; i < sent; i++) {
      MemorySegment buffer = memory(0);
      there.endpoint.receive(buffer, i);
      assertEquals(i, there.success().context());
      assertEquals((byte) i, first(buffer));
    }
    here.success();
    assertTrue(here.endpoint.trySend(memory(0), there.handle, "more"));
  }

  @Test
  void messagesOfManyThreadsArriveInTheOrderOfEach() throws InterruptedException {
    open(Progress.AUTO);
    int messages = 2_000;
    List<Peer> senders = List.of(new Peer(), new Peer(), new Peer());
    Peer receiver = new Peer();
    List<Thread> threads = new ArrayList<>();
    for (Peer sender : senders) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < messages; i++) {
                  while (!sender.endpoint.tryInject(memory(i), receiver.handle)) {
                    Thread.onSpinWait();
                  }
                }
              }));
    }
    int[] received = new int[senders.size()];
    MemorySegment buffer = memory(0);
    for (int i = 0; i < messages * senders.size(); i++) {
      receiver.endpoint.receive(buffer, null);
      long source = receiver.success().source();
      int sender = 0;
      while (senders.get(sender).handle != source) {
        sender++;
      }
      assertEquals((byte) received[sender], first(buffer));
      received[sender]++;
    }
    for (Thread each : threads) {
      each.join();
    }
  }
}
