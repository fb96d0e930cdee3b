// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;

/** An endpoint, its queue, and what the queue delivered so far. */
public final class Peer {
  /** The tag of all tagged messages. */
  public static final long TAG = 0x7A6;

  /** Patterns that ignore some or all bits of a tag, and match that of all tagged messages. */
  public static final List<TagPattern> PATTERNS =
      List.of(TagPattern.any(), TagPattern.exactly(TAG & ~0xFFL).withIgnored(0xFF));

  private static final int BUFFER_SIZE = 256;

  private final ConformanceEnvironment environment;
  private final MessageEndpoint endpoint;
  private final CompletionQueue queue;
  private final AddressVector vector;
  private final Queue<Completion> completions = new ArrayDeque<>();

  Peer(
      ConformanceEnvironment environment,
      MessageEndpoint endpoint,
      CompletionQueue queue,
      AddressVector vector) {
    this.environment = environment;
    this.endpoint = endpoint;
    this.queue = queue;
    this.vector = vector;
  }

  public MessageEndpoint endpoint() {
    return endpoint;
  }

  /** The endpoint of a test with reliable ones only. */
  public ReliableEndpoint reliable() {
    return (ReliableEndpoint) endpoint;
  }

  /** The queue that both directions report to. */
  public CompletionQueue queue() {
    return queue;
  }

  public AddressVector vector() {
    return vector;
  }

  /** Where others reach the endpoint. */
  public FabricAddress name() {
    return endpoint.address();
  }

  /** Puts another peer into this one's vector. */
  public long insert(Peer other) {
    return vector.insert(other.name());
  }

  /** Puts another peer into this one's vector, with a user id. */
  public long insert(Peer other, long userId) {
    return vector
        .insert(List.of(other.name()), InsertOptions.none().withUserIds(userId))
        .orThrow()
        .handle(0);
  }

  /** Takes what the queue has. */
  void collect() {
    if (queue.isOpen() && endpoint.isOpen()) {
      collect(queue, completions);
    }
  }

  /** Takes what a queue has as a C program would, failures through the error side. */
  public static void collect(CompletionQueue queue, Queue<? super Completion> into) {
    for (Completion next = read(queue); next != null; next = read(queue)) {
      into.add(next);
    }
  }

  private static @Nullable Completion read(CompletionQueue queue) {
    try {
      return queue.read();
    } catch (FabricException refused) {
      if (refused.errno() != Errno.EAVAIL) {
        throw refused;
      }
      Completion failure = queue.readError();
      if (failure == null) {
        throw new AssertionError("read said that a failure waits, but readError has none", refused);
      }
      return failure;
    }
  }

  /** The next completion, good or bad; null if there is none yet. */
  public @Nullable Completion poll() {
    environment.progress();
    return completions.poll();
  }

  /** The next completion, good or bad; fails the test if none comes. */
  public Completion next() {
    return environment.await("a completion", completions::poll);
  }

  /** The next completion, which has to be good. */
  public Completion.Success nextSuccess() {
    Completion completion = next();
    if (completion instanceof Completion.Success success) {
      return success;
    }
    throw new AssertionError("expected a success, but got " + completion);
  }

  /** The next completion, which has to be good, of a receive into that buffer. */
  public Completion.Success expect(String text, MemorySegment buffer) {
    Completion.Success received = nextSuccess();
    assertThat(text(buffer, received.length())).isEqualTo(text);
    return received;
  }

  /** The next completion, which has to be that of a receive, from that source. */
  public Completion.Success expect(Object context, long source) {
    Completion.Success received = nextSuccess();
    assertThat(received.context()).isEqualTo(context);
    assertThat(received.source()).isEqualTo(source);
    return received;
  }

  /** The same with a text in the buffer of the receive. */
  public void expect(Object context, long source, String text, MemorySegment buffer) {
    Completion.Success received = expect(context, source);
    assertThat(text(buffer, received.length())).isEqualTo(text);
  }

  /** The next completion, which has to be a failure. */
  public Completion.Failure nextFailure() {
    Completion completion = next();
    if (completion instanceof Completion.Failure failure) {
      return failure;
    }
    throw new AssertionError("expected a failure, but got " + completion);
  }

  /** The completion, good or bad, of what was posted with a context; others stay in line. */
  @SuppressWarnings("ReferenceEquality") // a context is what was passed, not something like it
  public Completion completionOf(Object context) {
    return environment.await(
        "the completion of " + context,
        () -> {
          for (Completion completion : completions) {
            if (completion.context() == context) {
              completions.remove(completion);
              return completion;
            }
          }
          return null;
        });
  }

  /** Posts a receive from any source. */
  public MemorySegment receive(Object context) {
    return receive(Handles.UNSPECIFIED, context);
  }

  /** Posts a receive and gives the buffer. */
  public MemorySegment receive(long source, Object context) {
    return receive(source, false, context);
  }

  /** Posts a receive, of a tagged message or of another one, and gives the buffer. */
  public MemorySegment receive(long source, boolean tagged, Object context) {
    return tagged
        ? receive(source, TagPattern.exactly(TAG), context)
        : posted(new ReceiveRequest().source(source), context);
  }

  /** Posts a receive of a message with one of the tags of a pattern, and gives the buffer. */
  public MemorySegment receive(long source, TagPattern pattern, Object context) {
    return posted(new TaggedReceiveRequest().source(source), pattern, context);
  }

  /** The same from anybody under an authorization key. */
  public MemorySegment receiveUnderKey(long key, boolean tagged, Object context) {
    return tagged
        ? receiveUnderKey(key, TagPattern.exactly(TAG), context)
        : posted(new ReceiveRequest().sourceUnderKey(key), context);
  }

  /** The same of a message with one of the tags of a pattern. */
  public MemorySegment receiveUnderKey(long key, TagPattern pattern, Object context) {
    return posted(new TaggedReceiveRequest().sourceUnderKey(key), pattern, context);
  }

  private MemorySegment posted(TaggedReceiveRequest request, TagPattern pattern, Object context) {
    MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_SIZE);
    reliable().receiveTagged(request.memory(buffer).pattern(pattern).context(context));
    return buffer;
  }

  private MemorySegment posted(ReceiveRequest request, Object context) {
    MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_SIZE);
    endpoint.receive(request.memory(buffer).context(context));
    return buffer;
  }

  /** Sends a text and takes the completion of the send, which has to be good. */
  public void send(String text, long destination) {
    send(text, destination, false);
  }

  /** Sends a text, tagged or not, and takes the completion of the send, which has to be good. */
  public void send(String text, long destination, boolean tagged) {
    Object context = new Object();
    if (tagged) {
      reliable()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(message(text))
                  .destination(destination)
                  .tag(TAG)
                  .context(context));
    } else {
      endpoint.send(message(text), destination, context);
    }
    Completion sent = completionOf(context);
    if (!(sent instanceof Completion.Success)) {
      throw new AssertionError("expected a send to succeed, but got " + sent);
    }
  }

  /** One message to a peer, which has to get it; the completion there, good or bad. */
  public Completion exchange(long destination, Peer to) {
    String text = "message " + Long.toHexString(System.nanoTime());
    MemorySegment buffer = to.receive(text);
    send(text, destination);
    Completion received = to.completionOf(text);
    if (received instanceof Completion.Success success) {
      String there = text(buffer, success.length());
      if (!there.equals(text)) {
        throw new AssertionError("sent \"" + text + "\", received \"" + there + "\"");
      }
    }
    return received;
  }

  /** The source of a message that arrived well. */
  public static long source(Completion received) {
    return ((Completion.Success) received).source();
  }

  public static MemorySegment message(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    MemorySegment message = Arena.ofAuto().allocate(Math.max(1, bytes.length));
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, message, 0, bytes.length);
    return message.asSlice(0, bytes.length);
  }

  /** The beginning of a buffer as text. */
  public static String text(MemorySegment buffer, long length) {
    byte[] bytes = new byte[(int) length];
    MemorySegment.copy(buffer, 0, MemorySegment.ofArray(bytes), 0, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
