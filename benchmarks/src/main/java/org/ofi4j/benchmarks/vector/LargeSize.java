// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.ofi4j.AddressVector;
import org.ofi4j.MemoryUse;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Mixing;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Recorder;

/**
 * Numbers of peers that ofi4j takes alone. Addresses come in parts, because a list of all would
 * take more memory than the vector; of lookups a random sample is timed.
 */
final class LargeSize {
  private static final int PART = 1_000_000;
  private static final int SAMPLE = 4_000_000;

  /** From here on fewer rounds have to do. */
  private static final int HUGE = 50_000_000;

  private static final int HUGE_ROUNDS = 3;

  private static final int WARM_UP_PEERS = 1_000_000;
  private static final int WARM_UP_ROUNDS = 3;

  private final FigureSink figures;
  private final TimeSource time;
  private final int rounds;
  private final int peers;

  LargeSize(FigureSink figures, TimeSource time, int rounds, int peers) {
    this.figures = figures;
    this.time = time;
    this.rounds = peers >= HUGE ? Math.min(HUGE_ROUNDS, rounds) : rounds;
    this.peers = peers;
  }

  /** Warms up with few peers and measures all rounds. */
  void measure(AddressPattern pattern) {
    if (peers > WARM_UP_PEERS) {
      new LargeSize(figure -> {}, time, WARM_UP_ROUNDS, WARM_UP_PEERS).measure(pattern);
    }
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(Family.IPV4)) {
      Parts parts = new Parts(arena, pattern);
      for (int round = 0; round < rounds; round++) {
        Recorder recorder = new Recorder(figures, Side.OFI4J, peers, round);
        try (AddressVector vector = factory.open(peers)) {
          recorder.nanos(Quantity.insert(pattern, Family.IPV4, true), parts.insert(vector));
          if (pattern == AddressPattern.SCATTERED) {
            double lookup = parts.lookup(vector);
            double find = parts.find(vector);
            recorder.figure(Quantity.LOOKUP, lookup);
            recorder.figure(Quantity.FIND, find);
            recorder.figure(Quantity.FIND_IN_LOOKUPS, find / lookup);
            recorder.nanos(Quantity.REMOVE_IN_ORDER, parts.remove(vector, false));
          }
        }
        try (AddressVector vector = factory.open(0)) {
          recorder.nanos(Quantity.insert(pattern, Family.IPV4, false), parts.insert(vector));
          MemoryUse memory = vector.statistics().memory();
          recorder.figure(Quantity.live(pattern, Family.IPV4), memory.livePerPeer(peers));
          recorder.figure(Quantity.held(pattern, Family.IPV4), memory.heldPerPeer(peers));
          if (pattern == AddressPattern.SCATTERED) {
            recorder.nanos(Quantity.REMOVE_RANDOMLY, parts.remove(vector, true));
          }
        }
        recorder.flush();
      }
    }
  }

  /** The parts, and the work on them. Handles are indices: entry i has handle i. */
  private final class Parts {
    private final AddressList.Filler filler;
    private final AddressList part;
    private final MemorySegment handles;
    private final AddressList sample;
    private final long[] sampled = new long[SAMPLE];
    private final MemorySegment buffer;
    private final int bits = 32 - Integer.numberOfLeadingZeros(peers - 1);

    Parts(Arena arena, AddressPattern pattern) {
      filler = AddressList.Filler.of(pattern, Family.IPV4);
      part = AddressList.allocate(arena, Family.IPV4, PART);
      handles = arena.allocate(8L * PART, 64);
      sample = AddressList.allocate(arena, Family.IPV4, SAMPLE);
      buffer = arena.allocate(64, 64);
      for (int i = 0; i < SAMPLE; i++) {
        long position = (Mixing.mix((long) i + 1) >>> 1) % peers;
        sampled[i] = position;
        filler.write(position, sample.packed(), 16L * i);
      }
    }

    long insert(AddressVector vector) {
      long nanos = 0;
      for (int done = 0, count; done < peers; done += count) {
        count = Math.min(PART, peers - done);
        AddressList some = new AddressList(Family.IPV4, part.packed(), count);
        some.fill(filler, done);
        long begin = time.now();
        int inserted = vector.insert(some.packed(), count, handles, null, 0, null);
        nanos += time.now() - begin;
        Subject.check(inserted, count, "addresses inserted");
        Subject.check(
            handles.getAtIndex(ValueLayout.JAVA_LONG, count - 1), done + count - 1, "handle");
      }
      return nanos;
    }

    double lookup(AddressVector vector) {
      long begin = time.now();
      long sum = VectorWork.lookup(vector, sampled, buffer);
      long nanos = time.now() - begin;
      Subject.check(sum, sample.sum(), "sum of addresses looked up");
      return (double) nanos / SAMPLE;
    }

    double find(AddressVector vector) {
      long begin = time.now();
      long sum = VectorWork.find(vector, sample);
      long nanos = time.now() - begin;
      Subject.check(sum, Arrays.stream(sampled).sum(), "sum of handles found");
      return (double) nanos / SAMPLE;
    }

    long remove(AddressVector vector, boolean randomly) {
      long nanos = 0;
      int next = 0;
      for (int done = 0, count; done < peers; done += count) {
        count = Math.min(PART, peers - done);
        for (int i = 0; i < count; i++) {
          int handle = done + i;
          if (randomly) {
            do {
              handle = scatter(next++);
            } while (handle >= peers);
          }
          handles.setAtIndex(ValueLayout.JAVA_LONG, i, handle);
        }
        long begin = time.now();
        vector.remove(handles, count, 0);
        nanos += time.now() - begin;
      }
      Subject.check(vector.size(), 0, "entries left after removal");
      return nanos;
    }

    /** A permutation of the numbers of {@code bits} bits: each step can be undone. */
    private int scatter(int number) {
      int mask = (1 << bits) - 1;
      int half = (bits + 1) / 2;
      int mixed = number * 0x9E37_79B1 & mask;
      mixed ^= mixed >>> half;
      mixed = mixed * 0x85EB_CA6B & mask;
      mixed ^= mixed >>> half;
      return mixed * 0xC2B2_AE35 & mask;
    }
  }
}
