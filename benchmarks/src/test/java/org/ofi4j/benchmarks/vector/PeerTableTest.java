// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Mixing;

/** A yardstick has to do the work that it is compared in. */
class PeerTableTest {
  private static final int PEERS = 5000;
  private static final long ABSENT = -1;

  private final Arena arena = Arena.ofShared();
  private final AddressList addresses =
      AddressList.of(arena, AddressPattern.SCATTERED, Family.IPV4, PEERS);
  private final MemorySegment handles = arena.allocate(8L * PEERS, 64).fill((byte) -1);

  private MemorySegment handle(int peer) {
    return handles.asSlice(8L * peer, 8);
  }

  private long value(int peer) {
    return handles.getAtIndex(ValueLayout.JAVA_LONG, peer);
  }

  @ParameterizedTest
  @EnumSource
  void whatWasInsertedIsFoundUntilItIsRemoved(PeerTable.Kind kind) {
    MemorySegment buffer = arena.allocate(64, 64);
    try (PeerTable table = kind.open()) {
      for (int step = 1; step <= 20 * PEERS; step++) {
        int peer = (Mixing.mix(step) >>> 1) % PEERS;
        assertThat(table.find(addresses.at(peer))).isEqualTo(value(peer));
        if (value(peer) == ABSENT) {
          table.insert(addresses.at(peer), 1, handle(peer));
          assertThat(table.find(addresses.at(peer))).isEqualTo(value(peer)).isNotNegative();
        } else {
          table.lookup(value(peer), buffer);
          assertThat(buffer.asSlice(0, 16).mismatch(addresses.at(peer))).isNegative();
          if (step % 3 == 0) {
            table.remove(handle(peer), 1);
            long removed = value(peer);
            assertThatThrownBy(() -> table.lookup(removed, buffer)).isNotNull();
            handle(peer).fill((byte) -1);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void readersAreRightBesideAWriter(PeerTable.Kind kind) throws Exception {
    int kept = PEERS / 2;
    AtomicBoolean isDone = new AtomicBoolean();
    try (PeerTable table = kind.open();
        ExecutorService writers = Executors.newSingleThreadExecutor()) {
      table.insert(addresses.packed(), kept, handles);
      Future<?> writer =
          writers.submit(() -> {
            // Doubles the table, and takes half of it out again.
            for (int round = 0; round < 20; round++) {
              table.insert(
                  addresses.packed().asSlice(16L * kept), PEERS - kept, handle(kept, PEERS - kept));
              table.remove(handle(kept, PEERS - kept), PEERS - kept);
            }
            isDone.set(true);
          });
      MemorySegment buffer = arena.allocate(64, 64);
      do {
        for (int peer = 0; peer < kept; peer++) {
          assertThat(table.find(addresses.at(peer))).isEqualTo(value(peer));
          table.lookup(value(peer), buffer);
          assertThat(buffer.asSlice(0, 16).mismatch(addresses.at(peer))).isNegative();
        }
      } while (!isDone.get() && !writer.isDone());
      writer.get();
    }
  }

  private MemorySegment handle(int first, int count) {
    return handles.asSlice(8L * first, 8L * count);
  }
}
