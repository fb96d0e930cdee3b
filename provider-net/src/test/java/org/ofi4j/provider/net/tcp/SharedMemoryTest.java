// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Connections of endpoints on one host, which move into shared memory. */
class SharedMemoryTest {
  private static final int ENOUGH = TcpLimits.BYTES_BEFORE_MEMORY / 10;

  private static final ConnectionOptions SHARING =
      ConnectionOptions.defaults().withSharedMemory(1 << 16);

  private static Rig rig(Progress progress, ConnectionOptions options) {
    return Rig.reliable(Rig.tcp("127.0.0.1", progress), options);
  }

  private static Rig rig() {
    return rig(Progress.MANUAL, SHARING);
  }

  private static long shared(Rig rig) {
    return rig.endpoint().statistics().connections().shared();
  }

  /** Sends a message from one to the other, and looks at its bytes. */
  private static void exchange(Rig from, Rig to, long handle, int size, int seed)
      throws InterruptedException {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    MemorySegment sent = Rig.buffer(size).copyFrom(MemorySegment.ofArray(bytes));
    MemorySegment received = Rig.buffer(size);
    to.endpoint().receive(received, "received");
    from.endpoint().send(sent, handle, "sent");
    assertThat(from.next(to)).isInstanceOf(Completion.Success.class);
    assertThat(to.next(from)).isInstanceOf(Completion.Success.class);
    assertThat(received.mismatch(sent)).as("%d bytes", size).isEqualTo(-1);
  }

  private static void talk(Rig one, Rig two, int size) throws InterruptedException {
    long there = one.insert(two);
    long back = two.insert(one);
    for (int i = 0; i < ENOUGH; i++) {
      exchange(one, two, there, size, 2 * i);
      exchange(two, one, back, size, 2 * i + 1);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("A connection that is used moves, at both ends, and ends with either")
  void moves(Progress progress) throws Exception {
    try (Rig one = rig(progress, SHARING)) {
      try (Rig two = rig(progress, SHARING)) {
        talk(one, two, 100);
        assertThat(shared(one)).isOne();
        assertThat(shared(two)).isOne();
      }
      await()
          .until(() -> {
            one.move(Duration.ZERO);
            return shared(one) == 0;
          });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 65_536})
  @DisplayName("Messages of all sizes arrive whole, however small the memory is")
  void sizes(int memory) throws Exception {
    ConnectionOptions options = ConnectionOptions.defaults().withSharedMemory(memory);
    try (Rig one = rig(Progress.MANUAL, options);
        Rig two = rig(Progress.MANUAL, options)) {
      talk(one, two, 10);
      assertThat(shared(one)).isOne();
      long there = one.insert(two);
      for (int size : new int[] {0, 1, 4000, 4096, 5000, 65_000, 65_536, 100_000, 3_000_000}) {
        exchange(one, two, there, size, size);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("A connection stays in the socket if either end shares no memory")
  void isTurnedOff(boolean first) throws Exception {
    ConnectionOptions none = SHARING.withSharedMemory(0);
    ConnectionOptions some = SHARING;
    try (Rig one = rig(Progress.MANUAL, first ? none : some);
        Rig two = rig(Progress.MANUAL, first ? some : none)) {
      talk(one, two, 100);
      assertThat(shared(one)).isZero();
      assertThat(shared(two)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("An encrypted connection moves if both ends ask for it")
  void encrypted(boolean asks) throws Exception {
    ConnectionOptions one = ConnectionOptions.defaults();
    ConnectionOptions two = ConnectionOptions.defaults();
    if (asks) {
      one = one.withSharedMemory(8192);
      two = two.withSharedMemory(8192);
    }
    try (Rig from = rig(Progress.MANUAL, one.withSecurity(SecureConnectionsTest.of("one")));
        Rig to = rig(Progress.MANUAL, two.withSecurity(SecureConnectionsTest.of("two")))) {
      talk(from, to, 100);
      talk(from, to, 20_000);
      assertThat(shared(from)).isEqualTo(asks ? 1 : 0);
      assertThat(shared(to)).isEqualTo(asks ? 1 : 0);
    }
  }

  @Test
  @DisplayName("An endpoint that sends to itself shares memory with itself")
  void toItself() throws Exception {
    try (Rig one = rig()) {
      long itself = one.insert(one);
      for (int i = 0; i < ENOUGH; i++) {
        exchange(one, one, itself, 500, i);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1, 4095, 5000, 1 << 27, Integer.MAX_VALUE})
  @DisplayName("Sizes that are no power of two, or too large, are refused")
  void badSizes(int bytes) {
    assertThatThrownBy(() -> ConnectionOptions.defaults().withSharedMemory(bytes))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining(
            "sharedMemory " + bytes + ": give 0, or a power of two from 4096 to 67108864");
  }
}
