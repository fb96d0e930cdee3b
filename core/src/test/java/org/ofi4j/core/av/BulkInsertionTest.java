// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.openOn;
import static org.ofi4j.core.av.VectorFixture.packed;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.testing.TestInfo;

/** Addresses inserted together fare as they would have fared one by one. */
@Tag("AV-102")
@Tag("AV-207")
class BulkInsertionTest {
  private static final long SYNC_ERR = InsertFlag.SYNC_ERR.mask();

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final Random random = new Random(seed);

  /** Reading one may be looking a name up in a list, or making a text. */
  @Test
  void eachIsReadOnce() {
    int count = 1_000;
    int[] reads = new int[count];
    AddressSource source =
        new AddressSource() {
          @Override
          public int count() {
            return count;
          }

          @Override
          public int read(int position, AddressKey into) {
            reads[position]++;
            into.setIpv4((0x0A00_0001L + 7_919L * position) << Short.SIZE | 80);
            return 0;
          }

          @Override
          public String text(int position) {
            return "address " + position;
          }

          @Override
          public String reason(int position) {
            return "of no matter";
          }
        };
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      openOn(TestInfo.defaults(), store).insert(source, null, 0, (_, _) -> {});
      assertThat(store.size()).isEqualTo(count);
    }
    assertThat(reads).containsOnly(1);
  }

  @ParameterizedTest
  @CsvSource({
    "SOCKADDR_IN, SHARE",
    "SOCKADDR_IN, REJECT",
    "SOCKADDR_IN, NEW_INDEX",
    "SOCKADDR, SHARE",
    "SOCKADDR_IP, REJECT",
  })
  void togetherAsOneByOne(AddressFormat format, DuplicatePolicy duplicates) {
    for (int round = 0; round < 30; round++) {
      VectorOptions options =
          (random.nextBoolean() ? VectorOptions.table() : VectorOptions.map())
              .withDuplicates(duplicates);
      CoreAddressVector bulk = open(TestInfo.defaults().format(format), options);
      CoreAddressVector single = open(TestInfo.defaults().format(format), options);
      CoreAddressVector values = open(TestInfo.defaults().format(format), options);
      for (int call = 0; call < 4; call++) {
        FabricAddress[] addresses = addresses(format, random.nextInt(700));
        int count = addresses.length;
        MemorySegment packed = packed(addresses);
        long[] handles = new long[count];
        int[] errors = new int[count];
        int inserted =
            bulk.insert(
                packed,
                count,
                MemorySegment.ofArray(handles),
                MemorySegment.ofArray(errors),
                SYNC_ERR,
                null);
        Insertion listed = values.insert(List.of(addresses), InsertOptions.none());
        long[] expected = new long[count];
        int[] expectedErrors = new int[count];
        int sum = 0;
        for (int i = 0; i < count; i++) {
          MemorySegment handle = MemorySegment.ofArray(expected).asSlice(8L * i, 8);
          MemorySegment error = MemorySegment.ofArray(expectedErrors).asSlice(4L * i, 4);
          sum += single.insert(packed(addresses[i]), 1, handle, error, SYNC_ERR, null);
        }
        assertThat(handles).as("-Dofi4j.seed=%d", seed).containsExactly(expected);
        assertThat(errors).as("-Dofi4j.seed=%d", seed).containsExactly(expectedErrors);
        assertThat(inserted).as("-Dofi4j.seed=%d", seed).isEqualTo(sum);
        assertThat(listed.handles()).as("-Dofi4j.seed=%d", seed).containsExactly(expected);
        assertThat(listed.failures())
            .as("-Dofi4j.seed=%d", seed)
            .allSatisfy(failure ->
                assertThat(failure.errno().number()).isEqualTo(expectedErrors[failure.position()]));
        if (count > 0) {
          long gone = expected[random.nextInt(count)];
          if (gone != NA) {
            bulk.remove(gone);
            single.remove(gone);
            values.remove(gone);
          }
        }
        assertThat(bulk.size()).isEqualTo(single.size());
      }
      bulk.close();
      single.close();
      values.close();
    }
  }

  /** Many good ones in a row, and whatever can be wrong or repeated among them. */
  private FabricAddress[] addresses(AddressFormat format, int count) {
    FabricAddress[] addresses = new FabricAddress[count];
    int often = 1 + random.nextInt(300);
    for (int i = 0; i < count; i++) {
      int kind = random.nextInt(often) == 0 ? random.nextInt(5) : 5;
      int node = 0x0A000000 + random.nextInt(1 << 16);
      addresses[i] =
          switch (kind) {
            case 0 -> new SocketAddress4(0, 5000);
            case 1 -> new SocketAddress4(node, 0);
            case 2 -> i == 0 ? new SocketAddress4(node, 1) : addresses[random.nextInt(i)];
            case 3 ->
                format == AddressFormat.SOCKADDR_IN
                    ? new SocketAddress4(-1, 65_535)
                    : new SocketAddress6(1, node, 5000, 0, 0);
            case 4 ->
                format == AddressFormat.SOCKADDR_IN
                    ? new SocketAddress4(0, 0)
                    : new SocketAddress6(0, 0, 5000, 0, 0);
            default -> new SocketAddress4(node, 1 + random.nextInt(60_000));
          };
    }
    return addresses;
  }

  @Test
  void otherFamiliesAmongMany() {
    CoreAddressVector vector = open(TestInfo.defaults(), VectorOptions.table());
    int count = 1000;
    FabricAddress[] addresses = new FabricAddress[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = new SocketAddress4(0x0A000001 + i, 5000);
    }
    MemorySegment packed = packed(addresses);
    for (int wrong : new int[] {0, 255, 256, 700, 999}) {
      packed.set(ValueLayout.JAVA_SHORT_UNALIGNED, 16L * wrong, (short) 99);
    }
    long[] handles = new long[count];
    int[] errors = new int[count];
    assertThat(
            vector.insert(
                packed,
                count,
                MemorySegment.ofArray(handles),
                MemorySegment.ofArray(errors),
                SYNC_ERR,
                null))
        .isEqualTo(count - 5);
    int next = 0;
    for (int i = 0; i < count; i++) {
      boolean wrong = i == 0 || i == 255 || i == 256 || i == 700 || i == 999;
      assertThat(errors[i]).as("error %d", i).isEqualTo(wrong ? Errno.EINVAL.number() : 0);
      assertThat(handles[i]).as("handle %d", i).isEqualTo(wrong ? NA : next++);
    }
  }

  @ParameterizedTest
  @CsvSource({"1000", "4000", "9000"})
  @Tag("AV-065")
  void whatComesBehindTheEndOfMemoryIsNotTried(long more) {
    LimitedVector limited = LimitedVector.open(VectorOptions.table());
    CoreAddressVector vector = limited.vector();
    FabricAddress[] addresses = new FabricAddress[10_000];
    for (int i = 0; i < addresses.length; i++) {
      addresses[i] = new SocketAddress4((i + 1) * 0x9E3779B1, 1 + random.nextInt(60_000));
    }
    limited.memory().limit(limited.memory().held() + more);
    long[] handles = new long[addresses.length];
    int[] errors = new int[addresses.length];
    int inserted =
        vector.insert(
            packed(addresses),
            addresses.length,
            MemorySegment.ofArray(handles),
            MemorySegment.ofArray(errors),
            SYNC_ERR,
            null);
    assertThat(inserted).isLessThan(addresses.length).isEqualTo((int) vector.size());
    for (int i = 0; i < addresses.length; i++) {
      int expected = i < inserted ? 0 : (i == inserted ? Errno.ENOMEM : Errno.ECANCELED).number();
      assertThat(errors[i]).as("error %d of %d", i, inserted).isEqualTo(expected);
      assertThat(handles[i]).as("handle %d of %d", i, inserted).isEqualTo(i < inserted ? i : NA);
    }
  }
}
