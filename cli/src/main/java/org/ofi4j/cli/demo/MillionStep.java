// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.MemoryUse;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Progress;
import org.ofi4j.cli.peers.LookupRates;
import org.ofi4j.cli.peers.VectorSession;

/** A million peers whose addresses have no order, as packed IPv4 addresses. */
final class MillionStep {
  private static final int PEERS = 1_000_000;
  private static final int BATCH = 10_000;
  private static final int ELEMENT = 16;

  /** An odd number: multiplying with it modulo 2^24 never gives the same twice. */
  private static final int SCATTER = 0x9E_37_79;

  private static final ValueLayout.OfShort NETWORK_SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt NETWORK_INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

  private MillionStep() {}

  static void run(DemoStage stage) {
    DemoReport report = stage.report();
    VectorOptions options =
        VectorOptions.defaults().withType(VectorType.TABLE).withDuplicates(DuplicatePolicy.REJECT);
    Hints hints = Hints.latest().withAddressFormat(AddressFormat.SOCKADDR_IN);
    try (VectorSession session = VectorSession.open(hints, options);
        Progress progress = new Progress(stage.terminal(), "inserting", "peers", PEERS)) {
      AddressVector vector = session.vector();
      long nanos = insert(vector, progress);
      MemoryUse memory = vector.statistics().memory();
      LookupRates rates = Objects.requireNonNull(LookupRates.measure(vector));
      report.say(
          Numbers.format(
              "%s in %s: %d ns each, without a hint how many will come",
              Numbers.count(vector.size(), "peer"), Numbers.duration(nanos), nanos / PEERS));
      report.say(
          Numbers.format(
              "%.1f bytes a peer; lookup %.0f ns, reverse lookup %.0f ns, in random order",
              memory.livePerPeer(PEERS), rates.lookupNanos(), rates.findNanos()));
      report.check(vector.size() == PEERS, "all of them are in the vector");
      report.check(samplesAgree(vector), "addresses looked up by handle lead back to the handle");
    }
  }

  private static long insert(AddressVector vector, Progress progress) {
    long nanos = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packed = arena.allocate((long) BATCH * ELEMENT, 8);
      MemorySegment handles = arena.allocate(8L * BATCH, 8);
      for (int done = 0; done < PEERS; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
          pack(done + i, packed, (long) i * ELEMENT);
        }
        long begin = System.nanoTime();
        vector.insert(packed, BATCH, handles, null, 0, null);
        nanos += System.nanoTime() - begin;
        progress.at(done);
      }
    }
    return nanos;
  }

  /** Writes struct sockaddr_in: family in the order of the host, port and address in network's. */
  private static void pack(int peer, MemorySegment packed, long offset) {
    packed.set(ValueLayout.JAVA_SHORT, offset, (short) 2);
    packed.set(NETWORK_SHORT, offset + 2, (short) port(peer));
    packed.set(NETWORK_INT, offset + 4, address(peer));
    packed.set(ValueLayout.JAVA_LONG, offset + 8, 0L);
  }

  private static int address(int peer) {
    return (10 << 24) | (peer * SCATTER & 0xFF_FFFF);
  }

  private static int port(int peer) {
    return 5000 + peer % 7;
  }

  private static boolean samplesAgree(AddressVector vector) {
    for (int peer = 0; peer < PEERS; peer += 9973) {
      FabricAddress expected = new FabricAddress.SocketAddress4(address(peer), port(peer));
      if (!vector.lookup(peer).equals(expected) || vector.find(expected) != peer) {
        return false;
      }
    }
    return true;
  }
}
