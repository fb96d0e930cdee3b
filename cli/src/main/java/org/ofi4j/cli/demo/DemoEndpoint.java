// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.SendRequest;

/**
 * An endpoint that exchanges short texts. One buffer is always posted; its message is taken before
 * the next is. For one thread.
 */
final class DemoEndpoint implements AutoCloseable {
  private static final int LONGEST = 256;
  private static final int LOOKS = 20;

  /** Where waiting is no more than looking with pauses, it is better to look without them. */
  private static final int LOOKS_OF_FABRICS = 100_000;

  // No measure of anything: it only says that something is wrong, also where the machine is held
  // up for seconds and a JVM starts in the meantime.
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment input = arena.allocate(LONGEST, 8);
  private final MemorySegment output = arena.allocate(LONGEST, 8);
  private final AddressVector vector;
  private final boolean tellsSources;
  private final int looks;
  private final CompletionQueue queue;
  private final MessageEndpoint endpoint;
  private final Arrival arrival = new Arrival();
  private final Delivery delivery = new Delivery();

  /** What was posted last. */
  private final SendRequest posted = new SendRequest().completes(CompletionLevel.DELIVERED);

  /**
   * A message.
   *
   * @param source what the completion reports as its sender
   * @param sender the sender's address if the sender is not in the vector, else null
   */
  record Message(String text, long source, @Nullable FabricAddress sender) {}

  DemoEndpoint(Domain domain, AddressVector vector) {
    this(domain, vector, PATIENCE);
  }

  /** An endpoint whose sends wait so long for a connection; datagrams need none. */
  DemoEndpoint(Domain domain, AddressVector vector, Duration connectTimeout) {
    this.vector = vector;
    tellsSources = domain.info().has(Capability.SOURCE);
    looks = tellsSources ? LOOKS : LOOKS_OF_FABRICS;
    queue = domain.openCompletionQueue();
    EndpointOptions options = EndpointOptions.of(vector, queue);
    if (domain.info().endpoint().type() == EndpointType.RDM) {
      options =
          options.withConnections(ConnectionOptions.defaults().withConnectTimeout(connectTimeout));
    }
    endpoint = domain.openEndpoint(options);
    endpoint.receive(input, this);
  }

  FabricAddress address() {
    return endpoint.address();
  }

  /** Sends a text; the transfer has no completion. */
  void send(String text, long handle) {
    endpoint.inject(written(text), handle);
  }

  /** Posts a text, of which {@link #awaitDelivery} says when the peer has it. */
  void post(String text, long handle) {
    endpoint.send(posted.memory(written(text)).destination(handle));
  }

  private MemorySegment written(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    MemorySegment.copy(bytes, 0, output, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return output.asSlice(0, bytes.length);
  }

  /**
   * Waits until what was posted is in the peer's memory. Sends it once more if the connection was
   * lost meanwhile: then nobody knows whether the peer has it.
   */
  void awaitDelivery() throws IOException, InterruptedException {
    ended();
    if (delivery.errno == Errno.ECONNRESET) {
      endpoint.send(posted);
      ended();
    }
    if (delivery.errno != null) {
      throw new IOException("a message was not delivered: " + delivery.errno);
    }
  }

  private void ended() throws IOException, InterruptedException {
    if (queue.poll(delivery, 1, PATIENCE) == 0) {
      throw new IOException("nobody took a message for " + PATIENCE.toSeconds() + " s");
    }
  }

  /** Sends the first bytes of a buffer again, for round trips without garbage. */
  void send(MemorySegment message, long handle) {
    endpoint.inject(message, handle);
  }

  /** Waits for a message, or gives null when none came in time. */
  @Nullable Message receive(Duration timeout) throws InterruptedException {
    if (!await(timeout)) {
      return null;
    }
    String text =
        new String(
            input.asSlice(0, arrival.length).toArray(ValueLayout.JAVA_BYTE),
            StandardCharsets.UTF_8);
    Message message = new Message(text, arrival.source, arrival.sender);
    endpoint.receive(input, this);
    return message;
  }

  /** As {@link #receive}, but a missing message is a failure. */
  Message expect(String what) throws IOException, InterruptedException {
    Message message = receive(PATIENCE);
    if (message == null) {
      throw new IOException(
          "no message for " + PATIENCE.toSeconds() + " s where " + what + " should come");
    }
    return message;
  }

  /** Waits for a message and looks at its source alone, if the fabric tells it. */
  boolean receiveFrom(long source, Duration timeout) throws InterruptedException {
    boolean right = await(timeout) && (!tellsSources || arrival.source == source);
    endpoint.receive(input, this);
    return right;
  }

  @SuppressWarnings("ThreadPriorityCheck") // with more looking threads than cores it is needed
  private boolean await(Duration timeout) throws InterruptedException {
    arrival.clear();
    // Looks a few times before it sleeps; a machine with few cores has better things to do.
    for (int i = 0; i < looks; i++) {
      if (queue.poll(arrival, 1) > 0) {
        return true;
      }
      if (i % LOOKS == LOOKS - 1) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
    return queue.poll(arrival, 1, timeout) > 0;
  }

  @Override
  public void close() {
    endpoint.close();
    queue.close();
    arena.close();
  }

  /** How a send ended. */
  private static final class Delivery implements CompletionHandler {
    private @Nullable Errno errno;

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      errno = null;
    }

    @Override
    public void failed(Completion.Failure failure) {
      errno = failure.errno();
    }
  }

  /** The receive that ended last. */
  private final class Arrival implements CompletionHandler {
    private long length;
    private long source;
    private @Nullable FabricAddress sender;

    void clear() {
      length = 0;
      source = Handles.NOT_AVAILABLE;
      sender = null;
    }

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      this.length = length;
      this.source = source;
    }

    @Override
    public void failed(Completion.Failure failure) {
      if (failure.errno() != Errno.EADDRNOTAVAIL) {
        throw new FabricException(failure.errno(), failure.reason());
      }
      length = failure.length();
      source = failure.source();
      sender = failure.senderAddress(vector.format());
    }
  }
}
