// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.provider.libfabric.StressOperation.Kind.FORBIDDEN;
import static org.ofi4j.provider.libfabric.StressOperation.Kind.READ;
import static org.ofi4j.provider.libfabric.StressOperation.Kind.SEND;
import static org.ofi4j.provider.libfabric.StressOperation.Kind.WRITE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CompletionLevel;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;
import org.ofi4j.WriteRequest;

/** The operations of a session of the stress test. */
final class StressTraffic {
  private static final int[] SIZES = {
    0, 1, 8, 24, 64, 500, 1_000, 4_096, 4_097, 20_000, 70_000, 1 << 20
  };
  private static final int SMALL = 8;
  private static final long ECHO_TAG = 0x7777_0000L;
  private static final int[] ECHOES = {100, 4_097, 70_000};

  private final StressSession session;
  private final StressProgram program;
  private final Random random;

  StressTraffic(StressSession session) {
    this.session = session;
    program = session.program;
    random = session.random;
  }

  private @Nullable StressPeer anyPeer() {
    List<StressPeer> all = new ArrayList<>(program.peers.values());
    all.sort(Comparator.comparing(peer -> peer.key));
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  private int size() {
    int most = (int) Math.min(session.info().endpoint().maxMessageSize(), 1 << 20);
    int index = random.nextInt(random.nextInt(3) == 0 ? SIZES.length : SMALL);
    int size = SIZES[StressAction.LARGE.isOn() ? index : random.nextInt(SMALL)];
    if (size > StressMessage.HEADER && random.nextBoolean()) {
      size -= random.nextInt(size - StressMessage.HEADER);
    }
    return Math.min(most, size);
  }

  private long nextNumber(StressEndpoint from) {
    return (long) program.number << 40 | (long) from.number << 24 | from.sent++;
  }

  /** Sends a message, tagged or not, to anybody. */
  void send(StressEndpoint from) {
    StressPeer peer = anyPeer();
    if (peer == null) {
      return;
    }
    int size = size();
    if (random.nextInt(16) == 0) {
      // The memory is given back while it is used.
      try (TransferMemory memory = session.present().allocate(Math.max(size, 1))) {
        send(from, peer, memory.segment().asSlice(0, size));
      }
    } else {
      MemorySegment memory = StressEndpoint.allocated(random, size);
      if (send(from, peer, memory)) {
        // The memory may be used again at once.
        memory.fill((byte) 0xEE);
      }
    }
  }

  private boolean send(StressEndpoint from, StressPeer peer, MemorySegment memory) {
    ReliableEndpoint reliable = from.reliable();
    boolean tagged = reliable != null && random.nextBoolean();
    boolean injected =
        memory.byteSize() <= session.info().transmit().injectSize() && random.nextInt(4) == 0;
    long tag = random.nextInt(StressEndpoint.TAGS);
    long to = session.handle(peer);
    StressMessage.write(memory, nextNumber(from), StressPeer.destination(peer.address));
    boolean taken;
    if (injected) {
      taken =
          tagged && reliable != null
              ? reliable.tryInjectTagged(
                  new TaggedSendRequest().memory(memory).destination(to).tag(tag))
              : from.endpoint.tryInject(memory, to);
    } else {
      StressOperation operation =
          new StressOperation(SEND, from, null, peer, program.tick, memory.byteSize());
      taken =
          from.post(
              operation,
              () ->
                  tagged && reliable != null
                      ? reliable.trySendTagged(
                          new TaggedSendRequest()
                              .memory(memory)
                              .destination(to)
                              .tag(tag)
                              .context(operation))
                      : from.endpoint.trySend(memory, to, operation));
    }
    if (taken) {
      program.operations.incrementAndGet();
    }
    return taken;
  }

  /** Cancels any receive. */
  void cancel(StressEndpoint from) {
    if (!StressAction.CANCEL.isOn()) {
      return;
    }
    for (StressOperation each : from.posted) {
      if (each.isReceive()) {
        from.endpoint.cancel(each);
        return;
      }
    }
  }

  /** Writes to the memory of a peer or reads it, in places where that is allowed and others. */
  void access(StressEndpoint from) {
    StressPeer peer = anyPeer();
    ReliableEndpoint reliable = from.reliable();
    if (!StressAction.ACCESS.isOn()
        || peer == null
        || reliable == null
        || !session.info().has(Capability.RMA)) {
      return;
    }
    List<Map.Entry<String, RemotePlace>> places = new ArrayList<>(peer.places.entrySet());
    if (places.isEmpty()) {
      return;
    }
    places.sort(Map.Entry.comparingByKey());
    Map.Entry<String, RemotePlace> named = places.get(random.nextInt(places.size()));
    RemotePlace whole = named.getValue();
    boolean writable = named.getKey().startsWith("w");
    int section = (2 * program.number + session.index()) % StressRegion.SECTIONS;
    int length = 1 + random.nextInt(StressRegion.SECTION);
    RemotePlace place =
        new RemotePlace(
            whole.address() + (long) section * StressRegion.SECTION, length, whole.key());
    long to = session.handle(peer);
    switch (random.nextInt(8)) {
      case 0 -> {
        if (!StressAction.FORBIDDEN.isOn()) {
          return;
        }
        RemotePlace wrong =
            switch (random.nextInt(3)) {
              case 0 -> new RemotePlace(place.address(), length, whole.key() + 77);
              case 1 -> new RemotePlace(whole.address() + whole.length() + 64, length, whole.key());
              default -> new RemotePlace(whole.address() - 64, length, whole.key());
            };
        write(from, reliable, peer, to, wrong, FORBIDDEN);
      }
      case 1, 2 -> {
        MemorySegment into = StressEndpoint.allocated(random, length);
        StressOperation operation = new StressOperation(READ, from, into, peer, program.tick, 0);
        post(from, operation, () -> reliable.tryRead(into, to, place, operation));
      }
      default -> {
        if (writable || StressAction.FORBIDDEN.isOn()) {
          write(from, reliable, peer, to, place, writable ? WRITE : FORBIDDEN);
        }
      }
    }
  }

  private void write(
      StressEndpoint from,
      ReliableEndpoint reliable,
      StressPeer peer,
      long to,
      RemotePlace place,
      StressOperation.Kind kind) {
    MemorySegment memory = StressEndpoint.allocated(random, (int) place.length());
    StressMessage.write(memory, nextNumber(from), StressPeer.destination(peer.address));
    StressOperation operation = new StressOperation(kind, from, null, peer, program.tick, 0);
    WriteRequest request =
        new WriteRequest().memory(memory).destination(to).place(place).context(operation);
    if (kind == FORBIDDEN || random.nextBoolean()) {
      request.completes(CompletionLevel.DELIVERED);
    }
    post(from, operation, () -> reliable.tryWrite(request));
  }

  private void post(StressEndpoint from, StressOperation operation, StressEndpoint.Post post) {
    if (from.post(operation, post)) {
      program.operations.incrementAndGet();
    }
  }

  /** Checks that an endpoint can still send to itself, and receive from itself. */
  void echo(StressEndpoint endpoint) throws InterruptedException {
    long end = program.tick + program.mostTicks;
    for (int size : ECHOES) {
      int length = (int) Math.min(size, session.info().endpoint().maxMessageSize());
      long before = endpoint.selfReceived;
      long next = 0;
      while (endpoint.selfReceived == before) {
        if (program.tick > end) {
          program.fail(
              "endpoint %s cannot send %d bytes to itself any more; it has %s"
                  .formatted(endpoint.key, length, endpoint.posted));
          return;
        }
        // A datagram may be lost, and a receive may be too short.
        if (program.tick >= next) {
          next = program.tick + 2;
          sendToSelf(endpoint, length);
        }
        session.serve();
      }
    }
  }

  private void sendToSelf(StressEndpoint endpoint, int length) {
    MemorySegment memory = StressEndpoint.allocated(random, length);
    StressMessage.write(memory, nextNumber(endpoint), endpoint.destination);
    long to = session.handle(endpoint.self);
    StressOperation operation =
        new StressOperation(SEND, endpoint, null, endpoint.self, program.tick, 0);
    ReliableEndpoint reliable = endpoint.reliable();
    endpoint.post(
        operation,
        () ->
            reliable != null && random.nextBoolean()
                ? reliable.trySendTagged(
                    new TaggedSendRequest()
                        .memory(memory)
                        .destination(to)
                        .tag(0)
                        .context(operation))
                : endpoint.endpoint.trySend(memory, to, operation));
  }
}
