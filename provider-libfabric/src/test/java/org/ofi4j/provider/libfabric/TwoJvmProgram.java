// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.ofi4j.Access;
import org.ofi4j.Completion;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** The JVM that lives on, and those that it speaks to. */
final class TwoJvmProgram {
  /** The number of peers that are opened and closed; over shm a vector takes 256 in its life. */
  private static final int LIVES_IN_A_VECTOR = 200;

  private static final int[] SIZES = {0, 1, 8, 64, 4_096, 65_536, EchoPeer.LARGEST};

  /** JVMs that are started ahead, since that takes most of the time. */
  private static final int AHEAD = 3;

  /** After so many lives all that is kept for good is there. */
  private static final int SETTLED = 5;

  /** Fabrics that count what peers do; {@code net} says so, and counts few. */
  private static final Set<String> COUNTING = Set.of("shm", "udp;ofi_rxd");

  /** Writes to memory; every third is followed by a read. */
  private static final int COUNTED = 20;

  private static final int COUNTED_READS = 7;

  private static final long MOST_KILOBYTES = 48 << 10;

  /** How long a life may take, which is the start of a JVM above all. */
  private static final int LIFE_SECONDS = 10;

  private final String provider;

  private TwoJvmProgram(String provider) {
    this.provider = provider;
  }

  /** Lives of peers that are killed, then providers. */
  public static void main(String[] arguments) throws Exception {
    int lives = Integer.parseInt(arguments[0]);
    Scenarios scenarios = new Scenarios((long) lives * LIFE_SECONDS);
    for (int i = 1; i < arguments.length; i++) {
      TwoJvmProgram program = new TwoJvmProgram(arguments[i]);
      scenarios.add(arguments[i] + ": messages of all sizes there and back", program::allSizes);
      scenarios.add(arguments[i] + ": what peers do to memory is counted", program::accesses);
    }
    TwoJvmProgram first = new TwoJvmProgram(arguments[1]);
    if (arguments[1].equals("shm")) {
      scenarios.add("shm: the address of a JVM that was killed", first::leftBehind);
    }
    scenarios.add(
        arguments[1] + ": peers that are killed, " + lives + " times", () -> first.killed(lives));
    if (Libfabric.installed().isBefore(2, 0)) {
      scenarios.add(arguments[1] + ": more peers than the fabric takes at a time", first::churn);
    } else {
      scenarios.add("shm: another process at the address of a peer", first::restarts);
    }
    scenarios.runAndExit();
  }

  /**
   * The new process speaks first. Before 2.0 libfabric does not tell the two apart; from then on it
   * waited for its own lock for ever.
   */
  private void restarts() throws Exception {
    String address = "fi_shm://ofi4j-restarts-" + ProcessHandle.current().pid();
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint own = rig.endpoint();
      long first = -1;
      for (int life = 0; life < 3; life++) {
        try (EchoPeer peer = new EchoPeer(rig, 1, address)) {
          own.receive(memory(8), "here I am");
          long to = rig.vector.insert(peer.meet(own));
          rig.success("here I am");
          first = life == 0 ? to : first;
          assertThat(to).isEqualTo(first);
          exchange(rig, own, to, memory(3_000), memory(3_000), 0);
          peer.assertEndsWell();
        }
      }
    }
  }

  private void allSizes() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        EchoPeer peer = new EchoPeer(rig, 4 * SIZES.length)) {
      ReliableEndpoint own = rig.endpoint();
      long to = rig.vector.insert(peer.meet(own));
      int seed = 0;
      for (int size : SIZES) {
        for (boolean heap : new boolean[] {true, false}) {
          exchange(rig, own, to, allocated(size, heap), allocated(size, !heap), seed++);
          exchangeTagged(rig, own, to, allocated(size, heap), allocated(size, !heap), seed++);
        }
      }
      peer.assertEndsWell();
    }
  }

  private static MemorySegment allocated(int size, boolean heap) {
    return heap ? MemorySegment.ofArray(new byte[size]) : memory(size);
  }

  private static void exchange(
      Rig rig, ReliableEndpoint own, long to, MemorySegment sent, MemorySegment into, int seed)
      throws Exception {
    own.receive(into, "answer");
    send(rig, own, to, pattern(sent, seed));
    Completion.Success answer = rig.success("answer");
    assertThat(answer.length()).isEqualTo(sent.byteSize());
    assertPattern(into, answer.length(), EchoPeer.ANSWER + seed);
  }

  /** Sends again what the peer was too late for, whose JVM may have just begun. */
  private static void send(Rig rig, ReliableEndpoint own, long to, MemorySegment message)
      throws Exception {
    Completion outcome;
    do {
      own.send(message, to, "sent");
      outcome = rig.next("sent");
    } while (outcome instanceof Completion.Failure failure && failure.errno() == Errno.ETIMEDOUT);
    assertThat(outcome).isInstanceOf(Completion.Success.class);
  }

  private static void exchangeTagged(
      Rig rig, ReliableEndpoint own, long to, MemorySegment sent, MemorySegment into, int seed)
      throws Exception {
    long tag = 0x1234_5678_0000_0000L + seed;
    own.receiveTagged(into, TagPattern.exactly(tag + 1), "answer");
    own.sendTagged(
        new TaggedSendRequest()
            .memory(pattern(sent, seed))
            .destination(to)
            .tag(tag)
            .context("sent"));
    Completion.Success answer = rig.success("answer");
    assertThat(answer.tag()).isEqualTo(tag + 1);
    assertThat(answer.length()).isEqualTo(sent.byteSize());
    assertPattern(into, answer.length(), EchoPeer.ANSWER + seed);
    rig.success("sent");
  }

  /** In this JVM. */
  private void accesses() throws Exception {
    Hints hints = Rig.hints(provider).withMemoryRegionModes(MemoryRegionMode.UNPROTECTED);
    try (Rig rig = new Rig(hints);
        Rig owning = new Rig(hints);
        Counter reads = owning.domain.openCounter();
        Counter writes = owning.domain.openCounter()) {
      EndpointOptions options =
          EndpointOptions.of(owning.vector, owning.queue)
              .withMoreCounters(reads, CounterFlag.REMOTE_READ)
              .withMoreCounters(writes, CounterFlag.REMOTE_WRITE);
      if (!COUNTING.contains(provider)) {
        assertThatThrownBy(() -> owning.endpoint(options)).hasMessageContaining("FI_RMA_EVENT");
        return;
      }
      try (TransferMemory memory = owning.domain.allocate(1 << 20);
          MemoryRegion region =
              owning.domain.register(memory.segment(), Access.REMOTE_READ, Access.REMOTE_WRITE);
          ReliableEndpoint owner = owning.domain.openReliableEndpoint(options)) {
        ReliableEndpoint own = rig.endpoint();
        long to = rig.insert(owner);
        Thread server = Thread.ofPlatform().start(() -> count(writes, reads));
        for (int i = 0; i < COUNTED; i++) {
          MemorySegment bytes = memory(i % 2 == 0 ? 64 : 1 << 20);
          own.write(bytes, to, region.place(), "written");
          rig.success("written");
          if (i % 3 == 0) {
            own.read(bytes, to, region.place(), "read");
            rig.success("read");
          }
        }
        server.join();
        assertThat(writes.read()).isEqualTo(COUNTED);
        assertThat(reads.read()).isEqualTo(COUNTED_READS);
        assertThat(reads.readErrors() + writes.readErrors()).isZero();
      }
    }
  }

  /** Has the data moved by waiting for counters, and by nothing else. */
  private static void count(Counter writes, Counter reads) {
    try {
      writes.await(COUNTED, Rig.PATIENCE);
      reads.await(COUNTED_READS, Rig.PATIENCE);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /** The name is free as soon as the process that has the file is gone, and not before. */
  private void leftBehind() throws Exception {
    String address = "fi_ns://ofi4j-left-" + ProcessHandle.current().pid();
    try (Rig rig = new Rig(Rig.hints(provider))) {
      EndpointOptions options =
          EndpointOptions.of(rig.vector, rig.queue)
              .withAddress(new FabricAddress.TextAddress(address));
      try (ChildJvm killed =
          ChildJvm.start(SharedMemoryProgram.class, List.of(ChildJvm.NATIVE), "hold", address)) {
        assertThat(killed.demandedLine()).isEqualTo(address);
        assertThatThrownBy(() -> rig.endpoint(options)).hasMessageContaining("EBUSY (16)");
      }
      assertThat(file(address)).exists();

      assertThat(rig.endpoint(options).address().toText()).isEqualTo(address);
    }
    assertThat(file(address)).doesNotExist();
  }

  private static Path file(String address) {
    return Path.of("/dev/shm", address.substring(address.lastIndexOf('/') + 1));
  }

  /**
   * Each is killed with a message under way, and its address is never seen again. It is stopped
   * before: over {@code shm} whoever is killed while it stores into the queue of another leaves a
   * lock taken, and libfabric then waits for ever.
   */
  private void killed(int lives) throws Exception {
    Deque<EchoPeer> peers = new ArrayDeque<>();
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint own =
          rig.endpoint(
              EndpointOptions.of(rig.vector, rig.queue)
                  .withConnections(
                      ConnectionOptions.defaults().withConnectTimeout(Duration.ofSeconds(1))));
      long descriptors = 0;
      long kilobytes = 0;
      for (int life = 0; life < lives; life++) {
        while (peers.size() <= Math.min(AHEAD, lives - life - 1)) {
          peers.add(new EchoPeer(rig, 1_000));
        }
        EchoPeer peer = peers.removeFirst();
        try (peer) {
          long to = rig.vector.insert(peer.meet(own));
          greet(rig, own, to, peer, life);
          peer.stop();
          own.send(memory(3_000), to, "under way");
          peer.kill();
          own.send(memory(3_000), to, "under way");
          rig.vector.remove(to);
        }
        // Whether they succeed is up to the fabric; that they end is not.
        rig.next("under way");
        rig.next("under way");
        if (life == Math.min(SETTLED, lives / 2)) {
          descriptors = Measured.descriptors();
          kilobytes = Measured.residentKilobytes();
        }
      }
      assertThat(Measured.descriptors()).isLessThanOrEqualTo(descriptors + 2L * AHEAD);
      assertThat(Measured.residentKilobytes()).isLessThan(kilobytes + MOST_KILOBYTES);
      assertThat(own.statistics().outstandingTransmits()).isZero();
    } finally {
      for (EchoPeer each : peers) {
        each.close();
      }
    }
  }

  private static void greet(Rig rig, ReliableEndpoint own, long to, EchoPeer peer, int life)
      throws Exception {
    try {
      for (int seed = 0; seed < 3; seed++) {
        exchange(rig, own, to, memory(3_000), memory(3_000), seed);
      }
    } catch (AssertionError failed) {
      throw new AssertionError("life " + life + ", the peer: " + peer.errors(), failed);
    }
  }

  /** In this JVM, where a peer is there within a millisecond. */
  private void churn() throws Exception {
    for (int vector = 0; vector < 3; vector++) {
      churnInOneVector();
    }
  }

  private void churnInOneVector() throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        Rig others = new Rig(Rig.hints(provider))) {
      ReliableEndpoint own = rig.endpoint();
      for (int life = 0; life < LIVES_IN_A_VECTOR; life++) {
        try (ReliableEndpoint peer =
            others.domain.openReliableEndpoint(EndpointOptions.of(others.vector, others.queue))) {
          long to = rig.insert(peer);
          MemorySegment buffer = memory(40);
          peer.receive(buffer, "received");
          own.send(pattern(memory(40), life), to, "sent");
          Completion received = others.next(Duration.ofMillis(1));
          while (received == null) {
            rig.move();
            received = others.next(Duration.ofMillis(1));
          }
          assertThat(received).isInstanceOf(Completion.Success.class);
          assertPattern(buffer, 40, life);
          rig.success("sent");
          rig.vector.remove(to);
        }
      }
    }
  }
}
