// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.Counters;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.tcp.TcpRig;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Large messages that begin with a page go out in one of two ways. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CopyOrViewTest {
  private static final int COPIED = TcpLimits.PAGE_COPY_SIZE;
  private static final int VIEWED = 4 * COPIED;

  /** What a write takes, in nanoseconds: as much as is clearly more than the other way. */
  private static final int LONG = 80_000;

  private static final int CLEARLY_LESS = 69_000;
  private static final int LESS = 71_000;

  /** After so many writes what the other way takes is known. */
  private static final int SOON = 30 * TcpLimits.OTHER_WAY;

  private long now = Long.MAX_VALUE - LONG;
  private final CopyOrView ways = new CopyOrView(() -> now);
  private final TransmitContext context =
      new TransmitContext(new Binding(null, false, new Counters()), 16);
  private final Staging staging = new Staging.Pool().borrow();

  private Send message(Arena arena, long size, int offset) {
    MemorySegment all = arena.allocate(size + TcpLimits.PAGE, TcpLimits.PAGE);
    Send send = context.take(FrameHeader.MESSAGE);
    send.set(all.asSlice(offset, size), null, 0, 0, 0);
    return send;
  }

  /** Writes a message, by copying or not; says if it was copied. */
  private boolean write(Send message, int copying, int viewing) {
    ways.begin(message, staging);
    boolean copies = !ways.views(message, 0, message.payload);
    now += copies ? copying : viewing;
    ways.taken(message.payload);
    return copies;
  }

  /** How many of many writes are copied. */
  private int copied(Send message, int copying, int viewing) {
    int copied = 0;
    for (int i = 0; i < 100 * TcpLimits.OTHER_WAY; i++) {
      copied += write(message, copying, viewing) ? 1 : 0;
    }
    return copied;
  }

  @Test
  @DisplayName("The usual way is left, now and then but to try, only if it takes clearly longer")
  void usual() {
    try (Arena arena = Arena.ofConfined()) {
      Send shorter = message(arena, COPIED, 0);
      Send longer = message(arena, VIEWED, 0);
      int most = 100 * (TcpLimits.OTHER_WAY - 1);
      assertThat(copied(shorter, LONG, LESS)).isEqualTo(most);
      assertThat(copied(longer, LESS, LONG)).isEqualTo(100);
      assertThat(copied(shorter, LONG, CLEARLY_LESS)).isBetween(100, SOON);
      assertThat(copied(longer, CLEARLY_LESS, LONG)).isBetween(most - SOON, most);
      // And back.
      assertThat(copied(shorter, LONG, LONG)).isBetween(most - SOON, most);
      assertThat(copied(longer, LONG, LONG)).isBetween(100, SOON);
    }
  }

  @Test
  @DisplayName("Lengths are tried apart, and one write that was interrupted changes nothing")
  void apart() {
    try (Arena arena = Arena.ofConfined()) {
      Send longer = message(arena, VIEWED, 0);
      Send longest = message(arena, 2 * VIEWED, 0);
      assertThat(copied(longer, CLEARLY_LESS / 2, LONG)).isGreaterThan(SOON);
      assertThat(write(longest, LONG, LONG)).isFalse();
      assertThat(write(longer, 1_000 * LONG, LONG)).isTrue();
      assertThat(write(longer, CLEARLY_LESS / 2, LONG)).isTrue();
    }
  }

  @Test
  @DisplayName("What does not begin with a page is not copied if it is long, nor looked at")
  void elsewhere() {
    try (Arena arena = Arena.ofConfined()) {
      Send other = message(arena, COPIED, 16);
      for (int i = 0; i < 4 * TcpLimits.OTHER_WAY; i++) {
        assertThat(ways.begin(other, staging)).isSameAs(staging);
        assertThat(ways.views(other, 0, COPIED)).isTrue();
        ways.taken(COPIED);
      }
      Send inPieces = context.take(FrameHeader.MESSAGE);
      MemorySegment page = arena.allocate(COPIED, TcpLimits.PAGE);
      inPieces.set(MemorySegment.NULL, new MemorySegment[] {page, page}, 0, 0, 0);
      assertThat(inPieces.beginsWithPage()).isFalse();
      assertThat(message(arena, TcpLimits.COPY_SIZE, 0).beginsWithPage()).isFalse();
      assertThat(message(arena, TcpLimits.COPY_SIZE + 1, 0).beginsWithPage()).isTrue();
    }
  }

  @Test
  @DisplayName("A long message is copied in pieces of whole segments, the last ones together")
  void pieces() {
    try (Arena arena = Arena.ofConfined()) {
      Send huge = message(arena, 4 * VIEWED, 0);
      copied(huge, 1, LONG);
      Staging through = ways.begin(huge, staging);
      assertThat(through).isNotSameAs(staging);
      assertThat(through.buffer.remaining()).isEqualTo(TcpLimits.WRITE_SIZE);
      huge.sent = huge.total() - TcpLimits.LAST_WRITE + 1;
      through = ways.begin(huge, staging);
      assertThat(through.buffer.remaining()).isGreaterThan(TcpLimits.LAST_WRITE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {20_000, 65_536, 65_537, 262_144, 400_000, 1_500_000})
  @DisplayName("Either way the bytes arrive")
  void arrive(int size) throws Exception {
    try (TcpRig from = new TcpRig(TcpRig.hints("127.0.0.1", Progress.MANUAL));
        TcpRig to = new TcpRig(TcpRig.hints("127.0.0.1", Progress.MANUAL));
        Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(size, TcpLimits.PAGE);
      long peer = from.insert(to);
      int together = 40;
      MemorySegment[] buffers = new MemorySegment[together];
      for (int i = 0; i < together; i++) {
        buffers[i] = arena.allocate(size + 1L);
      }
      for (int i = 0; i < 4; i++) {
        for (int j = 0; j < size; j++) {
          message.set(ValueLayout.JAVA_BYTE, j, (byte) (j * 31 + j / 251 + i));
        }
        for (MemorySegment buffer : buffers) {
          to.endpoint.receive(buffer, null);
          from.endpoint.send(message, peer, null);
        }
        for (MemorySegment buffer : buffers) {
          Completion.Success arrived = (Completion.Success) to.next(from);
          assertThat(arrived.length()).isEqualTo(size);
          assertThat(buffer.asSlice(0, size).mismatch(message)).isEqualTo(-1);
        }
        for (int j = 0; j < together; j++) {
          assertThat(from.next(to)).isInstanceOf(Completion.Success.class);
        }
      }
    }
  }
}
