// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;

/** An open endpoint of the stress test, and the operations that are posted to it. */
final class StressEndpoint {
  static final int TAGS = 4;

  private static final int ANY_TAG = -1;

  /** Long ones take much memory. */
  private static final int MOST_RECEIVES = StressAction.SHORT.isOn() ? 5 : 2;

  private static final int[] BUFFERS = {64, 4_096, 4_097, 70_000, 1 << 20};
  private static final int LONGEST = 4;
  private static final int SEVERAL = 300_000;

  final String key;
  final int number;
  final MessageEndpoint endpoint;
  final StressPeer self;
  final int destination;

  /** Operations that have not completed. */
  final Set<StressOperation> posted = ConcurrentHashMap.newKeySet();

  /** How many messages it has sent. */
  int sent;

  /** How many messages of its own it has received. */
  volatile long selfReceived;

  /** When its transmit queue was full for the first time since it took an operation; or -1. */
  volatile long fullSince = -1;

  volatile boolean open = true;

  StressEndpoint(String key, int number, MessageEndpoint endpoint) {
    this.key = key;
    this.number = number;
    this.endpoint = endpoint;
    self = new StressPeer(key, endpoint.address());
    destination = StressPeer.destination(endpoint.address());
  }

  @Nullable ReliableEndpoint reliable() {
    return endpoint instanceof ReliableEndpoint reliable ? reliable : null;
  }

  private long count(StressOperation.Kind kind) {
    return posted.stream().filter(each -> each.kind == kind).count();
  }

  /** Operations other than receives, whose peers are there as far as is known. */
  List<StressOperation> outgoing() {
    List<StressOperation> found = new ArrayList<>();
    for (StressOperation each : posted) {
      StressPeer peer = each.peer;
      if (!each.isReceive() && peer != null && !peer.gone) {
        found.add(each);
      }
    }
    return found;
  }

  /**
   * Posts receives of any length, so that some are posted all the time.
   *
   * @param several whether there are receives of several messages
   */
  void postReceives(Random random, boolean several, long tick) {
    if (count(StressOperation.Kind.RECEIVE) < MOST_RECEIVES) {
      postReceive(random, tick);
    }
    if (reliable() != null) {
      postTaggedReceives(random, tick);
    }
    if (several
        && StressAction.SEVERAL.isOn()
        && random.nextInt(4) == 0
        && count(StressOperation.Kind.RECEIVE_SEVERAL) == 0) {
      postSeveral(random, tick);
    }
  }

  static MemorySegment allocated(Random random, int size) {
    return random.nextBoolean() ? MemorySegment.ofArray(new byte[size]) : Rig.memory(size);
  }

  private static MemorySegment buffer(Random random) {
    return allocated(
        random,
        StressAction.SHORT.isOn() ? BUFFERS[random.nextInt(BUFFERS.length)] : BUFFERS[LONGEST]);
  }

  private void postReceive(Random random, long tick) {
    MemorySegment buffer = buffer(random);
    StressOperation operation =
        new StressOperation(StressOperation.Kind.RECEIVE, this, buffer, null, tick, 0);
    post(operation, () -> endpoint.tryReceive(buffer, operation));
  }

  /** Each message finds a receive, or its sender could wait for it for ever. */
  private void postTaggedReceives(Random random, long tick) {
    if (StressAction.WILDCARD.isOn()) {
      if (!receives(ANY_TAG)) {
        postTaggedReceive(random, ANY_TAG, tick);
      }
      if (count(StressOperation.Kind.RECEIVE_TAGGED) < MOST_RECEIVES) {
        postTaggedReceive(random, random.nextInt(ANY_TAG, TAGS), tick);
      }
      return;
    }
    for (int tag = 0; tag < TAGS; tag++) {
      if (!receives(tag)) {
        postTaggedReceive(random, tag, tick);
      }
    }
  }

  private boolean receives(int tag) {
    return posted.stream()
        .anyMatch(each -> each.kind == StressOperation.Kind.RECEIVE_TAGGED && each.number == tag);
  }

  private void postTaggedReceive(Random random, int tag, long tick) {
    MemorySegment buffer = buffer(random);
    TagPattern pattern = tag == ANY_TAG ? TagPattern.any() : TagPattern.exactly(tag);
    StressOperation operation =
        new StressOperation(StressOperation.Kind.RECEIVE_TAGGED, this, buffer, null, tick, tag);
    post(
        operation,
        () -> {
          ReliableEndpoint reliable = reliable();
          return reliable != null && reliable.tryReceiveTagged(buffer, pattern, operation);
        });
  }

  private void postSeveral(Random random, long tick) {
    MemorySegment buffer = allocated(random, SEVERAL);
    StressOperation operation =
        new StressOperation(StressOperation.Kind.RECEIVE_SEVERAL, this, buffer, null, tick, 0);
    ReceiveRequest request =
        new ReceiveRequest().memory(buffer).mode(ReceiveMode.SEVERAL_MESSAGES).context(operation);
    post(operation, () -> endpoint.tryReceive(request));
  }

  /** Posts an operation; returns false if the queue of the endpoint is full. */
  interface Post {
    boolean tryPost();
  }

  /** Notes an operation and posts it; false if the queue of the endpoint is full. */
  boolean post(StressOperation operation, Post post) {
    posted.add(operation);
    boolean taken = false;
    try {
      taken = post.tryPost();
    } finally {
      if (!taken) {
        posted.remove(operation);
      }
    }
    if (!operation.isReceive()) {
      noteFull(taken, operation.posted);
    }
    return taken;
  }

  private void noteFull(boolean taken, long tick) {
    if (taken) {
      fullSince = -1;
    } else if (fullSince < 0) {
      fullSince = tick;
    }
  }
}
