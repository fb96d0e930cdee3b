// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiver;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;
import org.ofi4j.VectorOptions;

/**
 * An endpoint with two queues, buffers, and a vector unless it is connected: sends to the one peer
 * and receives from it. The calling thread moves the data. Allocates nothing for each message. For
 * one thread.
 */
final class Messenger implements AutoCloseable {
  private static final int RECEIVES = 2;

  /** The tag of all tagged messages of the C program. */
  private static final long TAG = 1234;

  private static final TagPattern PATTERN = TagPattern.exactly(TAG);

  private static final int SHORTEST_BUFFER = 64;

  /** Empty polls before the thread lets others run, and before it looks at the clock. */
  private static final int SPINS = 256;

  /** Says when to stop waiting. */
  interface Patience {
    /** Called now and then while nothing comes; throws to stop. */
    void check(long waitedNanos) throws IOException;
  }

  private final Arena arena = Arena.ofShared();
  private final Domain domain;
  private final @Nullable AddressVector vector;
  private final CompletionQueue transmitQueue;
  private final CompletionQueue receiveQueue;
  private final MessageEndpoint endpoint;

  /** The endpoint again, if messages have tags. */
  private final @Nullable TaggedSender taggedSender;

  private final @Nullable TaggedReceiver taggedReceiver;
  private final TaggedSendRequest tagged = new TaggedSendRequest().tag(TAG);
  private final long injectSize;
  private final MemorySegment output;
  private final MemorySegment[] inputs;
  private final Ended sent = new Ended();
  private final Ended received = new Ended();
  private long toSend;
  private long toReceive;
  private int nextInput;
  private long peer;
  private MemorySegment message;

  /**
   * Opens the endpoint.
   *
   * @param fabric stays open
   * @param info what domain and endpoint are opened with
   * @param events where a connection is reported; null for endpoints without
   */
  Messenger(Fabric fabric, FabricInfo info, @Nullable EventQueue events, int longest) {
    injectSize = info.transmit().injectSize();
    int size = Math.max(longest, SHORTEST_BUFFER);
    output = arena.allocate(size, 64);
    message = output;
    // With datagrams one buffer more than is waited for, so that the peer's last message finds one.
    inputs = new MemorySegment[info.endpoint().type() == EndpointType.DGRAM ? RECEIVES : 1];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = arena.allocate(size, 64);
    }
    domain = fabric.openDomain(info);
    CompletionQueueOptions messages = CompletionQueueOptions.of(CompletionFormat.MSG);
    transmitQueue = domain.openCompletionQueue(messages);
    receiveQueue = domain.openCompletionQueue(messages);
    EndpointOptions options =
        EndpointOptions.none().withTransmitQueue(transmitQueue).withReceiveQueue(receiveQueue);
    if (events == null) {
      vector = domain.openAddressVector(VectorOptions.table());
      options = options.withVector(vector);
    } else {
      vector = null;
      options = options.withEvents(events);
    }
    endpoint = domain.openEndpoint(info, options);
    boolean hasTags = info.has(Capability.TAGGED);
    taggedSender = hasTags ? (TaggedSender) endpoint : null;
    taggedReceiver = hasTags ? (TaggedReceiver) endpoint : null;
    for (MemorySegment input : inputs) {
      post(input);
    }
  }

  /** Our address, for the peer. */
  FabricAddress address() {
    return endpoint.address();
  }

  /** Names the peer. Our own address goes in too, as the C program does it. */
  void peer(FabricAddress address) {
    if (vector == null) {
      // The one that it is connected with.
      return;
    }
    peer = vector.insert(address);
    if (!address.equals(address())) {
      vector.insert(address());
    }
  }

  /** The endpoint, to be connected; it was given an event queue. */
  ConnectedEndpoint connection() {
    return (ConnectedEndpoint) endpoint;
  }

  /** The message to send next; the first bytes of a buffer that is as long as the longest. */
  MemorySegment output() {
    return output;
  }

  /** How long the messages are that {@link #send} sends from now on. */
  void size(int size) {
    message = output.asSlice(0, size);
  }

  /** Sends {@link #output}, and waits until it may be written again. */
  void send(Patience patience) throws IOException {
    boolean inject = message.byteSize() < injectSize;
    while (!(inject ? tryInject() : trySend())) {
      transmitQueue.poll(sent, 1);
    }
    if (!inject) {
      await(transmitQueue, sent, ++toSend, patience);
    }
  }

  private boolean tryInject() {
    return taggedSender == null
        ? endpoint.tryInject(message, peer)
        : taggedSender.tryInjectTagged(tagged.memory(message).destination(peer));
  }

  private boolean trySend() {
    return taggedSender == null
        ? endpoint.trySend(message, peer, null)
        : taggedSender.trySendTagged(tagged.memory(message).destination(peer));
  }

  /** Posts a buffer; that of a message again, once it is read. */
  void post(MemorySegment input) {
    if (taggedReceiver == null) {
      endpoint.receive(input, null);
    } else {
      taggedReceiver.receiveTagged(input, PATTERN, null);
    }
  }

  /** Waits for the next message and gives the buffer that holds it. */
  MemorySegment receive(Patience patience) throws IOException {
    await(receiveQueue, received, ++toReceive, patience);
    MemorySegment input = inputs[nextInput];
    nextInput = (nextInput + 1) % inputs.length;
    return input;
  }

  /** The length of the message that was received last. */
  long receivedLength() {
    return received.length;
  }

  /** Sends text that ends in a zero byte, as the last message of a run. */
  void sendText(String text, Patience patience) throws IOException {
    byte[] bytes = (text + '\0').getBytes(StandardCharsets.US_ASCII);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, output, 0, bytes.length);
    size(bytes.length);
    send(patience);
  }

  @SuppressWarnings("ThreadPriorityCheck") // with more spinning threads than cores it is needed
  private static void await(CompletionQueue queue, Ended ended, long total, Patience patience)
      throws IOException {
    long begin = 0;
    int spins = 0;
    while (ended.count < total) {
      if (queue.poll(ended, 1) == 0) {
        Thread.onSpinWait();
        if (++spins % SPINS == 0) {
          long now = System.nanoTime();
          begin = begin == 0 ? now : begin;
          patience.check(now - begin);
          Thread.yield();
        }
      }
    }
    if (ended.failure != null) {
      throw new FabricException(ended.failure.errno(), ended.failure.reason());
    }
  }

  @Override
  public void close() {
    endpoint.close();
    transmitQueue.close();
    receiveQueue.close();
    if (vector != null) {
      vector.close();
    }
    domain.close();
    arena.close();
  }

  /** Counts completions. */
  private static final class Ended implements CompletionHandler {
    private long count;
    private long length;
    private Completion.@Nullable Failure failure;

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      count++;
      this.length = length;
    }

    @Override
    public void failed(Completion.Failure failure) {
      count++;
      this.failure = failure;
    }
  }
}
