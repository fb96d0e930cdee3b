// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.Rounds;
import org.ofi4j.core.testing.TestInfo;

/**
 * Lookups in loops that have nothing else in them, which compilers are free to take apart: none of
 * them is left out, and none is of a time before that of the one that precedes it.
 */
@Tag("AV-139")
class LookupOrderTest {
  /** How long each goes on; {@code -Dofi4j.readers} gives other milliseconds. */
  private static final long NANOSECONDS =
      TimeUnit.MILLISECONDS.toNanos(Rounds.of("ofi4j.readers", 200, 500));

  /** In a page of its own kind each. */
  private static final int ONE = 7;

  private static final int OTHER = 5000;
  private static final int BEYOND = 9000;

  private final CoreAddressVector vector = VectorFixture.table();
  private final ExecutorService readers = Executors.newThreadPerTaskExecutor(Thread::new);

  @AfterEach
  void close() {
    readers.shutdownNow();
    vector.close();
  }

  private void fill() {
    MemorySegment all = Arena.ofAuto().allocate(16L * BEYOND);
    for (int i = 0; i < BEYOND; i++) {
      // Not in order, or they would be a run.
      MemorySegment one = all.asSlice(16L * i, 16);
      one.copyFrom(VectorFixture.packed(address(i * 0x9E37 & 0xFFFF, 9)));
    }
    assertThat(vector.insert(all, BEYOND, null, null, 0, null)).isEqualTo(BEYOND);
    assertThat(vector.handleAt(OTHER)).isEqualTo(OTHER);
  }

  private static FabricAddress address(int number, int port) {
    return new SocketAddress4(0x0A00_0000 + number, port);
  }

  private static MemorySegment handles(long... handles) {
    return MemorySegment.ofArray(handles);
  }

  private static MemorySegment buffer(boolean isNative) {
    return isNative ? Arena.ofAuto().allocate(16, 8) : MemorySegment.ofArray(new long[2]);
  }

  private static int number(MemorySegment packed) {
    int bytes = packed.get(JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 4);
    return bytes - 0x0A00_0000;
  }

  /** The number of the address of a handle, or -1. */
  private int lookup(long handle, MemorySegment buffer) {
    try {
      vector.lookup(handle, buffer);
      return number(buffer);
    } catch (FabricException unset) {
      assertThat(unset.errno()).isEqualTo(Errno.EINVAL);
      return -1;
    }
  }

  private void replace(int index, FabricAddress address) {
    vector.remove(handles(index), 1, 0);
    assertThat(vector.insert(address)).isEqualTo(index);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void loopEndsWhenTheEntryGoes(boolean isNative) throws Exception {
    fill();
    for (int index : new int[] {ONE, OTHER}) {
      Future<Integer> reader = readers.submit(() -> lookUntilGone(index, buffer(isNative)));
      TimeUnit.MILLISECONDS.sleep(150);
      assertThat(reader.isDone()).isFalse();
      vector.remove(handles(index), 1, 0);
      assertThat(reader.get()).isEqualTo(Errno.EINVAL.number());
    }
  }

  private int lookUntilGone(long handle, MemorySegment buffer) {
    try {
      while (vector.lookup(handle, buffer) == 16) {}
      return 0;
    } catch (FabricException gone) {
      return gone.errno().number();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void loopEndsWhenTheEntryIsAnother(boolean isNative) throws Exception {
    fill();
    for (int index : new int[] {ONE, OTHER}) {
      int wanted = 1 << 20 | index;
      int last = VectorFixture.packed(address(wanted, 9)).get(JAVA_INT_UNALIGNED, 4);
      Future<Boolean> reader =
          readers.submit(() -> {
            MemorySegment buffer = buffer(isNative);
            while (number(buffer) != wanted) {
              lookUntil(index, buffer, last);
            }
            return true;
          });
      TimeUnit.MILLISECONDS.sleep(150);
      assertThat(reader.isDone()).isFalse();
      replace(index, address(wanted, 9));
      assertThat(reader.get()).isTrue();
    }
  }

  /** Until the last four bytes of an address are those, or it is unset. */
  private void lookUntil(long handle, MemorySegment buffer, int last) {
    try {
      while (buffer.get(JAVA_INT, 4) != last) {
        vector.lookup(handle, buffer);
      }
    } catch (FabricException unset) {
      assertThat(unset.errno()).isEqualTo(Errno.EINVAL);
    }
  }

  /**
   * The writer replaces one entry, then the other, by addresses with ever greater numbers. Who sees
   * a number of the second sees no smaller one of the first afterwards.
   */
  @Test
  @Tag("AV-083")
  void laterLookupSeesNoEarlierTime() throws Exception {
    fill();
    replace(ONE, address(1 << 17, 10));
    replace(OTHER, address(1 << 17, 11));
    long end = System.nanoTime() + NANOSECONDS;
    Callable<Long> reader = () -> readInOrder(end);
    Future<Long> looked = readers.submit(reader);
    int number = 1 << 17;
    while (System.nanoTime() - end < 0 || number <= (1 << 17) + 100) {
      number++;
      replace(ONE, address(number, 10));
      replace(OTHER, address(number, 11));
    }
    assertThat(number).isGreaterThan((1 << 17) + 100);
    assertThat(looked.get()).isPositive();
  }

  private long readInOrder(long end) {
    MemorySegment first = Arena.ofAuto().allocate(16, 8);
    MemorySegment second = Arena.ofAuto().allocate(16, 8);
    MemorySegment wanted = Arena.ofAuto().allocate(16, 8);
    long looked = 0;
    while (System.nanoTime() - end < 0 || looked == 0) {
      for (int i = 0; i < 1000; i++) {
        if (readBoth(first, second)) {
          looked++;
          assertThat(number(second)).isGreaterThanOrEqualTo(number(first));
        }
        int seen = lookup(OTHER, first);
        if (seen >= 0) {
          wanted.copyFrom(VectorFixture.packed(address(seen, 10)));
          long found = vector.find(wanted);
          if (found == Handles.NOT_AVAILABLE) {
            // It has been replaced meanwhile, or is just now.
            int now = lookup(ONE, second);
            assertThat(now < 0 || now > seen).as("%s, %s not found", now, seen).isTrue();
          } else {
            assertThat(found).isEqualTo(ONE);
          }
        }
      }
    }
    return looked;
  }

  /** Records of IPv6 addresses are used again and again while they are copied. */
  @Test
  @Tag("AV-083")
  void addressInRecordIsCopiedWhole() throws Exception {
    try (CoreAddressVector six =
        VectorFixture.open(
            TestInfo.defaults().format(AddressFormat.SOCKADDR_IN6), VectorOptions.table())) {
      six.insert(same(1));
      long end = System.nanoTime() + NANOSECONDS;
      Future<Integer> reader = readers.submit(() -> lookUpWhole(six, end));
      int number = 1;
      while (System.nanoTime() - end < 0 || number <= 100) {
        number++;
        six.remove(handles(0), 1, 0);
        assertThat(six.insert(same(number))).isZero();
      }
      assertThat(number).isGreaterThan(100);
      assertThat(reader.get()).isGreaterThan(100);
    }
  }

  /** An address of the same number four times. */
  private static FabricAddress same(int number) {
    return new SocketAddress6(number, number, 1 + (number & 0xFFF), 0, 0);
  }

  /** How many whole addresses were seen. */
  private static int lookUpWhole(CoreAddressVector six, long end) {
    MemorySegment buffer = Arena.ofAuto().allocate(32, 8);
    int whole = 0;
    while (System.nanoTime() - end < 0 || whole <= 100) {
      for (int i = 0; i < 1000; i++) {
        try {
          assertThat(six.lookup(0, buffer)).isEqualTo(28);
        } catch (FabricException unset) {
          continue;
        }
        byte[] seen = buffer.asSlice(0, 28).toArray(JAVA_BYTE);
        int number = buffer.get(JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 20);
        assertThat(seen).containsExactly(same(number).toBytes());
        whole++;
      }
    }
    return whole;
  }

  /** Two lookups with nothing in between. */
  private boolean readBoth(MemorySegment first, MemorySegment second) {
    try {
      vector.lookup(OTHER, first);
      vector.lookup(ONE, second);
      return second.get(JAVA_LONG_UNALIGNED, 8) == 0;
    } catch (FabricException unset) {
      return false;
    }
  }
}
