// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;

/**
 * A reliable endpoint that serves, or one for each client. All endpoints of a process share a
 * domain, a vector and a queue, which one thread reads.
 */
final class EndpointCrowd implements Crowd {
  private static final int AT_A_TIME = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long RECEIVE = CompletionFlag.RECEIVE.mask();

  private final boolean sleeps;
  private final Fabric fabric;
  private final Domain domain;
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final List<ReliableEndpoint> endpoints = new ArrayList<>();
  private final List<TransferMemory> memory = new ArrayList<>();
  private long server;

  /**
   * Opens a domain.
   *
   * @param sleeps whether the thread sleeps while it waits
   */
  EndpointCrowd(Progress progress, boolean sleeps) {
    this.sleeps = sleeps;
    FabricInfo info =
        Fabrics.info(
                Hints.reliable()
                    .withProvider(MessagingOptions.TCP)
                    .withCapabilities(Capability.MSG, Capability.SOURCE)
                    .withProgress(progress)
                    .withSource("127.0.0.1:0"))
            .best();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain(info);
    vector = domain.openAddressVector(VectorOptions.table());
    queue = domain.openCompletionQueue(CompletionQueueOptions.of(CompletionFormat.MSG));
  }

  private ReliableEndpoint open() {
    endpoints.add(domain.openReliableEndpoint(vector, queue));
    return endpoints.getLast();
  }

  private MemorySegment buffer() {
    memory.add(domain.allocate(SIZE));
    return memory.getLast().segment();
  }

  @Override
  public String listen() {
    ReliableEndpoint endpoint = open();
    // Twice as many as requests are under way: none has to wait for a receive.
    for (int i = 0; i < 2 * Peer.WINDOW; i++) {
      MemorySegment buffer = buffer();
      endpoint.receive(buffer, buffer);
    }
    return endpoint.address().toString();
  }

  @Override
  public String gather(int clients, String name) {
    if (endpoints.isEmpty()) {
      server = vector.insert(FabricAddress.parse(name));
      buffer();
      buffer();
    }
    StringJoiner names = new StringJoiner(",");
    for (int i = 0; i < clients; i++) {
      names.add(open().address().toString());
    }
    return names.toString();
  }

  @Override
  public void admit(String names) {
    for (String name : names.split(",", -1)) {
      vector.insert(FabricAddress.parse(name));
    }
  }

  /** Reacts to completions until enough of them have come. */
  private abstract static class Handler implements CompletionHandler {
    abstract boolean isDone();

    @Override
    public void failed(Completion.Failure failure) {
      throw new FabricException(failure.errno(), failure.reason());
    }
  }

  private void run(Handler handler) throws InterruptedException {
    while (!handler.isDone()) {
      if (!sleeps) {
        queue.poll(handler, AT_A_TIME);
      } else if (queue.poll(handler, AT_A_TIME, PATIENCE) == 0) {
        throw new IllegalStateException("nothing comes any more");
      }
    }
  }

  @Override
  public void serve(int count, Runnable ready) throws InterruptedException {
    ReliableEndpoint endpoint = endpoints.getFirst();
    Handler answers =
        new Handler() {
          private int answered;

          @Override
          boolean isDone() {
            return answered == count;
          }

          @Override
          public void completed(
              @Nullable Object context, long flags, long length, long data, long tag, long source) {
            MemorySegment buffer = (MemorySegment) Objects.requireNonNull(context);
            if ((flags & RECEIVE) != 0) {
              Peer.checkReceived(length, SIZE);
              endpoint.send(buffer, source, buffer);
            } else {
              endpoint.receive(buffer, buffer);
              answered++;
            }
          }
        };
    ready.run();
    run(answers);
  }

  @Override
  public void request(int count) throws InterruptedException {
    MemorySegment output = memory.getFirst().segment();
    MemorySegment input = memory.getLast().segment();
    for (int i = 0; i < SIZE; i++) {
      output.set(ValueLayout.JAVA_BYTE, i, Peer.content(i, count));
    }
    Requests requests = new Requests(count, output, input);
    while (requests.asked < Math.min(Peer.WINDOW, count)) {
      requests.ask();
    }
    run(requests);
    Peer.checkContent(output.mismatch(input) < 0);
  }

  /** Requests of all clients in turn. */
  private final class Requests extends Handler {
    private final int count;
    private final MemorySegment output;
    private final MemorySegment input;
    private int asked;
    private int sent;
    private int answered;

    Requests(int count, MemorySegment output, MemorySegment input) {
      this.count = count;
      this.output = output;
      this.input = input;
    }

    void ask() {
      ReliableEndpoint client = endpoints.get(asked++ % endpoints.size());
      client.receive(input, null);
      client.send(output, server, null);
    }

    @Override
    boolean isDone() {
      return sent == count && answered == count;
    }

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      if ((flags & RECEIVE) == 0) {
        sent++;
        return;
      }
      Peer.checkReceived(length, SIZE);
      answered++;
      if (asked < count) {
        ask();
      }
    }
  }

  @Override
  public void close() {
    endpoints.forEach(ReliableEndpoint::close);
    queue.close();
    vector.close();
    memory.forEach(TransferMemory::close);
    domain.close();
    fabric.close();
  }
}
