// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A ring, with a writer and a reader that have an object each, as two processes would. */
class RingTest {
  private static final int CAPACITY = 4096;
  private static final long WRITTEN = 0;
  private static final long READ = 128;

  private final MemorySegment memory = Arena.ofAuto().allocate(Ring.DATA + CAPACITY, 8);
  private final Ring writer = new Ring(memory);
  private final Ring reader = new Ring(memory);

  private static ByteBuffer bytes(int length) {
    return ByteBuffer.allocate(length);
  }

  /** Writes as much as there is space for. */
  private int write(ByteBuffer from) throws IOException {
    while (from.hasRemaining() && writer.put(from) > 0) {
      // There may be space for more.
    }
    return writer.publish();
  }

  @Test
  @DisplayName("What is read is what was written, in any pieces, round the ring many times")
  void streams() throws IOException {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    long written = 0;
    long read = 0;
    while (read < 100L * CAPACITY) {
      ByteBuffer from = bytes(random.nextInt(2 * CAPACITY));
      for (int i = 0; i < from.capacity(); i++) {
        from.put(i, (byte) ((written + i) * 31));
      }
      int taken = write(from);
      assertThat(taken).as("seed %d", seed).isEqualTo(from.position());
      written += taken;
      ByteBuffer into = bytes(random.nextInt(2 * CAPACITY));
      int come = reader.read(into);
      assertThat(come).as("seed %d", seed).isEqualTo(Math.min(into.capacity(), written - read));
      for (int i = 0; i < come; i++) {
        assertThat(into.get(i)).as("seed %d", seed).isEqualTo((byte) ((read + i) * 31));
      }
      read += come;
    }
  }

  @Test
  @DisplayName("A full ring takes nothing, and an empty one gives nothing")
  void isBounded() throws IOException {
    assertThat(reader.read(bytes(10))).isZero();
    assertThat(write(bytes(CAPACITY + 10))).isEqualTo(CAPACITY);
    assertThat(write(bytes(10))).isZero();
    assertThat(reader.read(bytes(1))).isEqualTo(1);
    assertThat(write(bytes(10))).isEqualTo(1);
  }

  @Test
  @DisplayName("What was copied is not seen before it is published, and may be forgotten")
  void publishes() throws IOException {
    writer.put(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    assertThat(writer.pending()).isEqualTo(3);
    assertThat(reader.hasBytes()).isFalse();
    writer.forget();
    writer.put(ByteBuffer.wrap(new byte[] {4}));
    assertThat(writer.publish()).isOne();
    ByteBuffer into = bytes(10);
    assertThat(reader.read(into)).isOne();
    assertThat(into.get(0)).isEqualTo((byte) 4);
  }

  @Test
  @DisplayName("Memory that cannot be written to ends a read behind the last piece")
  void unusable() throws IOException {
    MemorySegment large = Arena.ofAuto().allocate(Ring.DATA + 4 * Ring.PIECE, 8);
    Ring from = new Ring(large);
    Ring to = new Ring(large);
    while (from.put(bytes(Ring.PIECE)) > 0 && from.pending() < 2 * Ring.PIECE) {
      // Two pieces.
    }
    from.publish();
    ByteBuffer closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(10).asByteBuffer();
    }
    assertThatThrownBy(() -> to.read(closed)).isInstanceOf(IllegalStateException.class);
    assertThat(to.read(bytes(3 * Ring.PIECE))).as("nothing was lost").isEqualTo(2 * Ring.PIECE);
  }

  @Test
  @DisplayName("The bell is asked for once, and not if there is something already")
  void bellForBytes() throws IOException {
    assertThat(writer.takeWantsBytes()).isFalse();
    assertThat(reader.wantBytes()).isFalse();
    write(bytes(10));
    assertThat(writer.takeWantsBytes()).isTrue();
    assertThat(writer.takeWantsBytes()).isFalse();
    assertThat(reader.wantBytes()).isTrue();
  }

  @Test
  @DisplayName("A writer that waits for space is woken when half of the ring is free")
  void bellForSpace() throws IOException {
    assertThat(writer.wantSpace()).isTrue();
    assertThat(reader.takeWantsSpace()).isTrue();
    write(bytes(CAPACITY));
    assertThat(writer.wantSpace()).isFalse();
    reader.read(bytes(CAPACITY / 2 - 1));
    assertThat(reader.takeWantsSpace()).isFalse();
    reader.read(bytes(1));
    assertThat(reader.takeWantsSpace()).isTrue();
    assertThat(reader.takeWantsSpace()).isFalse();
    assertThat(writer.wantSpace()).isTrue();
  }

  @Test
  @DisplayName("A reader trusts no count of the writer")
  void hostileWriter() throws IOException {
    write(bytes(100));
    reader.read(bytes(100));
    for (long count : new long[] {99, -1, Long.MAX_VALUE, Long.MIN_VALUE, 101L + CAPACITY}) {
      memory.set(ValueLayout.JAVA_LONG, WRITTEN, count);
      assertThatThrownBy(() -> reader.read(bytes(10)))
          .as("%d", count)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("%d bytes, between 100 and %d", count, 100 + CAPACITY);
      assertThatThrownBy(reader::wantBytes).isInstanceOf(IOException.class);
    }
  }

  @Test
  @DisplayName("A writer trusts no count of the reader")
  void hostileReader() throws IOException {
    write(bytes(CAPACITY));
    for (long count : new long[] {-1, CAPACITY + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      memory.set(ValueLayout.JAVA_LONG, READ, count);
      assertThatThrownBy(() -> write(bytes(10))).as("%d", count).isInstanceOf(IOException.class);
      assertThatThrownBy(writer::wantSpace).isInstanceOf(IOException.class);
    }
  }
}
