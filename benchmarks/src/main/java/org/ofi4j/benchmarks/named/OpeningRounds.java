// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;

/**
 * Opens vectors again and again, in a JVM that has opened others before. What a saved file cannot
 * do without is timed beside: its bytes are mapped, summed, and copied where the vector is a copy.
 */
record OpeningRounds(FigureSink figures, VectorFactory domain, String name, Path file, int peers) {
  private static final long WARM_UP_NANOS = 400_000_000;

  /** A buffer of bytes has no more than an int can count. */
  private static final long PART = 1 << 30;

  /** Warms up as one does for whom this is the first size, or with one round. */
  void warmUp(boolean first) throws IOException {
    long begin = System.nanoTime();
    do {
      round(figure -> {});
    } while (first && System.nanoTime() - begin < WARM_UP_NANOS);
  }

  void run(int rounds) throws IOException {
    for (int round = 0; round < rounds; round++) {
      round(figures);
    }
  }

  private void round(FigureSink into) throws IOException {
    for (Opening opening : Opening.values()) {
      add(into, opening, Side.OFI4J, open(opening));
    }
    add(into, Opening.SAVED_READ, Side.MEMORY, sum(false));
    add(into, Opening.SAVED_COPY, Side.MEMORY, sum(true));
  }

  private void add(FigureSink into, Opening opening, Side side, long nanos) {
    into.add(new Figure(opening.quantity(), peers, side, nanos / 1e6));
  }

  private long open(Opening opening) {
    long begin = System.nanoTime();
    try (AddressVector vector = domain.open(opening.options(name, file))) {
      long nanos = System.nanoTime() - begin;
      Subject.check(vector.size(), peers, "entries of the vector that was opened");
      return nanos;
    }
  }

  private long sum(boolean copied) throws IOException {
    CRC32C sum = new CRC32C();
    long begin = System.nanoTime();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      for (long done = 0; done < mapped.byteSize(); done += PART) {
        long part = Math.min(PART, mapped.byteSize() - done);
        sum.update(mapped.asSlice(done, part).asByteBuffer());
      }
      if (copied) {
        arena.allocate(mapped.byteSize(), 64).copyFrom(mapped);
      }
      return System.nanoTime() - begin;
    }
  }
}
