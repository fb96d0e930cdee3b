// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.Threading;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * A reliable endpoint of this library: the same calls in the same order as in {@code messages.c}.
 * Its thread polls the queue and never sleeps, or it sleeps in the call that reads the queue.
 */
final class EndpointPeer implements Peer {
  private static final int AT_A_TIME = 16;
  private static final int POLLS_BETWEEN_LOOKS = 4_000_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String NOTHING = "nothing comes any more";
  private static final long RECEIVE = CompletionFlag.RECEIVE.mask();

  private final List<TransferMemory> memory = new ArrayList<>();
  private final MemorySegment output;

  /** An answer is sent from one while the other waits for the next question. */
  private final MemorySegment[] inputs;

  private final Fabric fabric;
  private final Domain domain;
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final ReliableEndpoint endpoint;
  private final boolean sleeps;
  private final Ended ended = new Ended();
  private long peer;

  /**
   * Opens an endpoint.
   *
   * @param sleeps whether the thread sleeps while it waits
   */
  EndpointPeer(
      int longest, String provider, Progress progress, Threading threading, boolean sleeps) {
    this.sleeps = sleeps;
    boolean isMemory = provider.equals(MessagingOptions.MEMORY);
    Hints hints =
        Hints.reliable()
            .withProvider(isMemory ? MessagingOptions.TCP : provider)
            .withCapabilities(Capability.MSG)
            .withThreading(threading)
            .withProgress(progress);
    InfoAnswer onLoopback =
        Fabrics.info(hints.withSource("127.0.0.1:0").withAddressFormat(AddressFormat.SOCKADDR_IN));
    // Some fabrics have no addresses of hosts.
    FabricInfo info = (onLoopback.offers().isEmpty() ? Fabrics.info(hints) : onLoopback).best();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain(info);
    output = buffer(longest);
    inputs = new MemorySegment[] {buffer(longest), buffer(longest)};
    vector = domain.openAddressVector(VectorOptions.table());
    queue = domain.openCompletionQueue(CompletionQueueOptions.of(CompletionFormat.MSG));
    ConnectionOptions connections = ConnectionOptions.defaults();
    endpoint =
        domain.openReliableEndpoint(
            EndpointOptions.of(vector, queue)
                .withConnections(connections.withSharedMemory(isMemory ? 1 << 16 : 0)));
  }

  /**
   * Memory that needs no copy over any fabric, as C registers its own. Touched now, so that no
   * measurement pays for its pages.
   */
  private MemorySegment buffer(int longest) {
    memory.add(domain.allocate(longest));
    return memory.getLast().segment().fill((byte) -1);
  }

  @Override
  public String name() {
    return endpoint.address().toString();
  }

  @Override
  public void connect(String name) {
    peer = vector.insert(FabricAddress.parse(name));
  }

  @Override
  public void answer(int size, int count, Runnable ready) throws InterruptedException {
    MemorySegment[] into = {inputs[0].asSlice(0, size), inputs[1].asSlice(0, size)};
    ended.clear();
    endpoint.receive(into[0], null);
    ready.run();
    for (int i = 0; i < count; i++) {
      await(i, i + 1);
      if (i + 1 < count) {
        endpoint.receive(into[(i + 1) % 2], null);
      }
      endpoint.send(into[i % 2], peer, null);
    }
    await(count, count);
    checkReceived((long) size * count);
  }

  @Override
  public void ask(int size, long[] times) throws InterruptedException {
    MemorySegment question = output.asSlice(0, size);
    MemorySegment into = inputs[0].asSlice(0, size);
    for (int i = 0; i < size; i++) {
      question.set(ValueLayout.JAVA_BYTE, i, Peer.content(i, times.length));
    }
    into.fill((byte) 0);
    ended.clear();
    long start = System.nanoTime();
    for (int i = 0; i < times.length; i++) {
      endpoint.receive(into, null);
      endpoint.send(question, peer, null);
      await(i + 1, i + 1);
      long end = System.nanoTime();
      times[i] = end - start;
      start = end;
    }
    checkReceived((long) size * times.length);
    Peer.checkContent(into.mismatch(question) < 0);
  }

  /**
   * Sends messages to itself, one at a time.
   *
   * @return the processor time of the thread in nanoseconds
   */
  long toItself(int size, int count) throws InterruptedException {
    MemorySegment message = output.asSlice(0, size);
    MemorySegment into = inputs[0].asSlice(0, size);
    ended.clear();
    long start = TimeSource.CPU.now();
    for (int i = 0; i < count; i++) {
      endpoint.receive(into, null);
      endpoint.send(message, peer, null);
      await(i + 1, i + 1);
    }
    long nanos = TimeSource.CPU.now() - start;
    checkReceived((long) size * count);
    return nanos;
  }

  @Override
  public void take(int size, int count, Runnable ready) throws InterruptedException {
    MemorySegment into = inputs[0].asSlice(0, size);
    ended.clear();
    int posted = 0;
    for (; posted < WINDOW && posted < count; posted++) {
      endpoint.receive(into, null);
    }
    ready.run();
    Patience patience = new Patience();
    while (ended.received < count) {
      for (; posted < count && posted - ended.received < WINDOW; posted++) {
        endpoint.receive(into, null);
      }
      poll(patience);
    }
    endpoint.send(output.asSlice(0, 1), peer, null);
    await(1, count);
    checkReceived((long) size * count);
  }

  @Override
  public long stream(int size, int count, boolean announced) throws InterruptedException {
    MemorySegment message = output.asSlice(0, size);
    SendRequest request = new SendRequest().memory(message).destination(peer);
    ended.clear();
    endpoint.receive(inputs[0].asSlice(0, 1), null);
    int posted = 0;
    Patience patience = new Patience();
    long start = System.nanoTime();
    while (posted < count) {
      while (posted < count && posted - ended.sent < WINDOW) {
        posted++;
        if (announced) {
          endpoint.send(request.more(posted < count && posted - ended.sent < WINDOW));
        } else {
          endpoint.send(message, peer, null);
        }
      }
      poll(patience);
    }
    await(count, 1);
    return System.nanoTime() - start;
  }

  private void await(long sent, long received) throws InterruptedException {
    Patience patience = new Patience();
    while (ended.sent < sent || ended.received < received) {
      poll(patience);
    }
  }

  /** Reads completions: those that are there, or the first that comes. */
  private void poll(Patience patience) throws InterruptedException {
    if (sleeps) {
      if (queue.poll(ended, AT_A_TIME, PATIENCE) == 0) {
        throw new IllegalStateException(NOTHING);
      }
    } else if (queue.poll(ended, AT_A_TIME) == 0) {
      patience.inVain();
    }
  }

  private void checkReceived(long bytes) {
    Peer.checkReceived(ended.bytes, bytes);
  }

  /** Ends waiting for a peer that is gone. */
  private static final class Patience {
    private int polls;
    private long begin;

    void inVain() {
      if (++polls % POLLS_BETWEEN_LOOKS == 0) {
        long now = System.nanoTime();
        if (begin == 0) {
          begin = now;
        } else if (now - begin > PATIENCE.toNanos()) {
          throw new IllegalStateException(NOTHING);
        }
      }
    }
  }

  /** Completions so far. */
  private static final class Ended implements CompletionHandler {
    private long sent;
    private long received;
    private long bytes;

    void clear() {
      sent = 0;
      received = 0;
      bytes = 0;
    }

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      if ((flags & RECEIVE) != 0) {
        received++;
        bytes += length;
      } else {
        sent++;
      }
    }

    @Override
    public void failed(Completion.Failure failure) {
      throw new FabricException(failure.errno(), failure.reason());
    }
  }

  @Override
  public void close() {
    endpoint.close();
    queue.close();
    vector.close();
    memory.forEach(TransferMemory::close);
    domain.close();
    fabric.close();
  }
}
