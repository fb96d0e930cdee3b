package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.ofi4j.AddressVector;

/**
 * What a writer costs a reader. The reader looks up handles of one vector; on the other processor a
 * thread removes and inserts entries, in turns of the same vector, all among those that are read,
 * and of another one just like it: the same stores, but to memory that the reader never touches.
 */
final class ReaderBesideWriter {
  /** Of so many entries the writer has one. */
  private static final int SHARE = 16;

  private static final int LEAST_LOOKUPS = 4_000_000;
  private static final int WARM_UP_ROUNDS = 2;

  private final Results results;
  private final BenchmarkOptions options;

  ReaderBesideWriter(Results results, BenchmarkOptions options) {
    this.results = results;
    this.options = options;
  }

  void run(int peers) throws InterruptedException {
    try (Arena arena = Arena.ofShared();
        VectorFactory factory = new VectorFactory(Family.IPV4);
        AddressVector read = factory.open(0);
        AddressVector other = factory.open(0)) {
      Workload workload =
          Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, Math.max(SHARE, peers));
      Writer same = new Writer(read, workload, arena);
      Writer apart = new Writer(other, workload, arena);
      MemorySegment handles = readHandles(arena, same, workload.order());
      MemorySegment buffer = arena.allocate(64, 64);
      for (int round = -WARM_UP_ROUNDS; round < options.rounds(); round++) {
        boolean sameFirst = round % 2 == 0;
        double first = beside(sameFirst ? same : apart, read, handles, buffer);
        double second = beside(sameFirst ? apart : same, read, handles, buffer);
        double besideSame = sameFirst ? first : second;
        double besideOther = sameFirst ? second : first;
        if (round >= 0) {
          add(Quantity.READER_BESIDE_WRITER, peers, besideSame);
          add(Quantity.READER_BESIDE_OTHER, peers, besideOther);
          add(Quantity.READER_RATE, peers, 100 * besideOther / besideSame);
        }
      }
    }
  }

  private void add(Quantity quantity, int peers, double figure) {
    results.add(quantity, peers, Side.OFI4J, figure);
  }

  /** What is not the writer's, in random order. */
  private static MemorySegment readHandles(Arena arena, Writer writer, int[] order) {
    int read = 0;
    for (int position : order) {
      read += isWritten(position) ? 0 : 1;
    }
    MemorySegment handles = arena.allocate(8L * read, 64);
    int at = 0;
    for (int position : order) {
      if (!isWritten(position)) {
        handles.setAtIndex(
            ValueLayout.JAVA_LONG,
            at++,
            writer.handles.getAtIndex(ValueLayout.JAVA_LONG, position));
      }
    }
    return handles;
  }

  private static boolean isWritten(int position) {
    return position % SHARE == 0;
  }

  /** Nanoseconds for each lookup beside a busy writer. */
  private double beside(
      Writer writer, AddressVector vector, MemorySegment handles, MemorySegment buffer)
      throws InterruptedException {
    int count = (int) (handles.byteSize() / 8);
    int repetitions = Math.max(1, LEAST_LOOKUPS / count);
    writer.begin();
    try {
      long begin = options.time().now();
      for (int i = 0; i < repetitions; i++) {
        VectorWork.lookup(vector, handles, count, buffer);
      }
      return (double) (options.time().now() - begin) / ((long) repetitions * count);
    } finally {
      writer.end();
    }
  }

  /** Removes entries and inserts them again, until told to stop. */
  private static final class Writer implements Runnable {
    private static final int BUSY = 1000;

    private final AddressVector vector;
    private final AddressList addresses;
    private final int[] order;
    private final MemorySegment handles;
    private volatile boolean stopped;
    private volatile int done;
    private Thread thread = new Thread(this);

    Writer(AddressVector vector, Workload workload, Arena arena) {
      this.vector = vector;
      this.addresses = workload.addresses();
      this.order = Arrays.stream(workload.order()).filter(ReaderBesideWriter::isWritten).toArray();
      this.handles = arena.allocate(8L * workload.count(), 64);
      vector.insert(addresses.packed(), addresses.count(), handles, null, 0, null);
    }

    /** Returns when it is at work. */
    void begin() throws InterruptedException {
      stopped = false;
      done = 0;
      thread = new Thread(this, "ofi4j bench writer");
      thread.start();
      while (done < BUSY && thread.isAlive()) {
        Thread.sleep(1);
      }
    }

    void end() throws InterruptedException {
      stopped = true;
      thread.join();
      if (done < BUSY || vector.size() != addresses.count()) {
        throw new IllegalStateException("the writer ended early, after " + done + " entries");
      }
    }

    @Override
    public void run() {
      MemorySegment packed = addresses.packed();
      int cycles = 0;
      while (!stopped) {
        int at = order[cycles % order.length];
        MemorySegment handle = handles.asSlice(8L * at, 8);
        vector.remove(handle, 1, 0);
        vector.insert(packed.asSlice(16L * at, 16), 1, handle, null, 0, null);
        cycles++;
        if (cycles == BUSY) {
          done = cycles;
        }
      }
    }
  }
}
