// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Prepared;

/**
 * What a writer costs a reader. The reader looks up handles of one vector; on the other processor a
 * thread removes and inserts entries, by turns of the same vector, all among those that are read,
 * and of another one just like it: the same stores, but to memory that the reader never touches.
 * The turns are short and many, so that both see the same machine, and a round is worth the median
 * of its pairs: what interrupts a turn does not count.
 */
final class ReaderBesideWriter implements Prepared {
  /** Of so many entries the writer has one. */
  private static final int SHARE = 16;

  private static final int PAIRS = 8;
  private static final int LOOKUPS = 65_536;
  private static final int WARM_UP_ROUNDS = 4;

  /** What is read, in turns, and where to. */
  private record Reader(AddressVector vector, long[][] turns, MemorySegment buffer) {}

  private final FigureSink figures;
  private final TimeSource time;
  private final int peers;
  private final int rounds;
  private final Arena arena = Arena.ofShared();
  private final VectorFactory factory = new VectorFactory(Family.IPV4);
  private final AddressVector read = factory.open(0);
  private final AddressVector other = factory.open(0);
  private final Writer writer;
  private final Reader reader;

  /** Fills the vectors. */
  ReaderBesideWriter(FigureSink figures, TimeSource time, int peers, int rounds) {
    this.figures = figures;
    this.time = time;
    this.peers = peers;
    this.rounds = rounds;
    Workload workload =
        Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, Math.max(SHARE, peers));
    writer = new Writer(arena, workload, read, other);
    reader = new Reader(read, turns(writer, workload.order()), arena.allocate(64, 64));
  }

  @Override
  public void measure() throws InterruptedException {
    writer.begin();
    try {
      for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
        round(round);
      }
    } finally {
      writer.end();
    }
  }

  @Override
  public void close() {
    other.close();
    read.close();
    factory.close();
    arena.close();
  }

  private void round(int round) {
    double[] same = new double[PAIRS];
    double[] apart = new double[PAIRS];
    double[] rates = new double[PAIRS];
    int turn = Math.floorMod(round * 2 * PAIRS, reader.turns().length);
    for (int pair = 0; pair < PAIRS; pair++) {
      boolean sameFirst = (pair + round & 1) == 0;
      for (int i = 0; i < 2; i++) {
        boolean isSame = sameFirst == (i == 0);
        (isSame ? same : apart)[pair] = beside(isSame, turn);
        turn = (turn + 1) % reader.turns().length;
      }
      rates[pair] = 100 * apart[pair] / same[pair];
    }
    if (round >= 0) {
      figures.add(Quantity.READER_BESIDE_WRITER, peers, Series.median(same));
      figures.add(Quantity.READER_BESIDE_OTHER, peers, Series.median(apart));
      figures.add(Quantity.READER_RATE, peers, Series.median(rates));
    }
  }

  /** Nanoseconds for each lookup beside a busy writer. */
  private double beside(boolean same, int turn) {
    long[] handles = reader.turns()[turn];
    writer.write(same);
    long begin = time.now();
    long sum = VectorWork.lookup(reader.vector(), handles, reader.buffer());
    long nanos = time.now() - begin;
    if (sum == 0) {
      throw new IllegalStateException("looked up nothing");
    }
    return (double) nanos / handles.length;
  }

  /** What is not the writer's, in random order, in turns of the same length. */
  private static long[][] turns(Writer writer, int[] order) {
    long[] read =
        Arrays.stream(order)
            .filter(position -> !isWritten(position))
            .mapToLong(writer::handle)
            .toArray();
    long[][] turns = new long[Math.max(1, read.length / LOOKUPS)][LOOKUPS];
    int next = 0;
    for (long[] turn : turns) {
      for (int i = 0; i < LOOKUPS; i++) {
        turn[i] = read[next];
        next = next + 1 == read.length ? 0 : next + 1;
      }
    }
    return turns;
  }

  private static boolean isWritten(int position) {
    return position % SHARE == 0;
  }

  /** A vector, and the handles of all its entries. */
  private record Written(AddressVector vector, MemorySegment handles) {}

  /** Removes entries of one of two vectors and inserts them again, until it is told to end. */
  private static final class Writer {
    /** Exchanges until its own caches have what it works on. */
    private static final int BUSY = 200;

    private final AddressList addresses;
    private final int[] order;
    private final Written same;
    private final Written other;
    private final Thread thread = new Thread(this::exchange, "ofi4j bench writer");
    private volatile boolean stopped;

    /** What it works on from its next exchange. */
    private volatile Written wanted;

    /** How many exchanges it has begun. */
    private volatile long begun;

    Writer(Arena arena, Workload workload, AddressVector same, AddressVector other) {
      this.addresses = workload.addresses();
      this.order = Arrays.stream(workload.order()).filter(ReaderBesideWriter::isWritten).toArray();
      this.same = filled(arena, same);
      this.other = filled(arena, other);
      this.wanted = this.other;
    }

    private Written filled(Arena arena, AddressVector vector) {
      MemorySegment handles = arena.allocate(8L * addresses.count(), 64);
      vector.insert(addresses.packed(), addresses.count(), handles, null, 0, null);
      return new Written(vector, handles);
    }

    void begin() {
      thread.start();
    }

    long handle(int position) {
      return same.handles().getAtIndex(ValueLayout.JAVA_LONG, position);
    }

    /** Returns when it is at work on the vector that is read, or on the other. */
    void write(boolean toSame) {
      wanted = toSame ? same : other;
      long busy = begun + BUSY;
      while (begun < busy) {
        if (!thread.isAlive()) {
          throw new IllegalStateException("the writer ended early");
        }
        Thread.onSpinWait();
      }
    }

    private void exchange() {
      for (long done = 0; !stopped; done++) {
        begun = done;
        int at = order[(int) (done % order.length)];
        Written written = wanted;
        MemorySegment handle = written.handles().asSlice(8L * at, 8);
        written.vector().remove(handle, 1, 0);
        written.vector().insert(addresses.at(at), 1, handle, null, 0, null);
      }
    }

    void end() throws InterruptedException {
      stopped = true;
      thread.join();
      Subject.check(same.vector().size(), addresses.count(), "entries of the vector that is read");
      Subject.check(other.vector().size(), addresses.count(), "entries of the other vector");
    }
  }
}
