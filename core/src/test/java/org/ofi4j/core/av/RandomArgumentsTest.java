// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.testing.Rounds;
import org.ofi4j.core.testing.TestInfo;

/** Whatever is passed: an answer or a FabricException, and no entry that nobody knows of. */
@Tag("AV-010")
class RandomArgumentsTest {
  private static final int ROUNDS = Rounds.of("ofi4j.rounds", 2000, 4000);

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  @ParameterizedTest
  @EnumSource(AddressFormat.class)
  @DisplayName("Random bytes, lengths, counts, handles and flags")
  void nothingButFabricExceptions(AddressFormat format) throws Exception {
    try {
      for (ApiVersion version : new ApiVersion[] {ApiVersion.V1_5, ApiVersion.LATEST}) {
        if (format == AddressFormat.SOCKADDR_IP && version.equals(ApiVersion.V1_5)) {
          continue;
        }
        CoreAddressVector vector =
            VectorFixture.open(
                TestInfo.defaults()
                    .version(version)
                    .format(format)
                    .capabilities(Capability.AV_USER_ID),
                VectorOptions.defaults()
                    .withType(random.nextBoolean() ? VectorType.MAP : VectorType.TABLE));
        for (int round = 0; round < ROUNDS; round++) {
          round(vector);
        }
        // Not all was refused. OPX, PSMX2 and the like take any bytes, the others some.
        assertThat(vector.statistics().highWaterMark()).as(format + " at " + version).isPositive();
        vector.close();
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("-Dofi4j.seed=" + seed, e);
    }
  }

  private void round(CoreAddressVector vector) throws Exception {
    MemorySegment addresses = addresses(vector.format());
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> insert(vector, addresses);
      case 3 -> {
        MemorySegment handles = handles(random.nextInt(5));
        int count = random.nextInt(-1, 6);
        answer(() -> {
          vector.remove(handles, count, flags());
          return 0;
        });
      }
      case 4 -> answer(() -> vector.lookup(handle(), bytes(random.nextInt(60))));
      case 5 -> {
        answer(() -> vector.find(addresses));
        answer(() -> vector.peers().socketAddress(handle(), bytes(random.nextInt(30))));
        answer(() -> vector.peers().findSource(addresses, new MessageSource()));
      }
      case 6 -> {
        String refusal = (String) answer(() -> vector.refusal(addresses));
        assertThat(refusal == null || !refusal.isBlank()).isTrue();
      }
      default -> {
        answer(() -> vector.toText(addresses));
        answer(() -> vector.toText(addresses, bytes(random.nextInt(40))));
      }
    }
  }

  private void insert(CoreAddressVector vector, MemorySegment addresses) throws Exception {
    long before = vector.size();
    int count = random.nextInt(-1, 6);
    MemorySegment handles = random.nextInt(4) == 0 ? null : handles(random.nextInt(7));
    MemorySegment errors = random.nextBoolean() ? null : bytes(random.nextInt(28));
    long flags = flags();
    Object answer =
        answer(() ->
            vector.insert(
                random.nextInt(20) == 0 ? null : addresses, count, handles, errors, flags, null));
    if (answer == null) {
      assertThat(vector.size()).as("refused as a whole").isEqualTo(before);
      return;
    }
    int inserted = (Integer) answer;
    assertThat(inserted).isBetween(0, count);
    assertThat(vector.size() - before).isBetween(0L, (long) inserted);
    if (handles != null) {
      long[] written = LongStream.of(VectorFixture.longs(handles)).limit(count).toArray();
      assertThat(LongStream.of(written).filter(handle -> handle != NA)).hasSize(inserted);
      for (long handle : written) {
        if (handle != NA) {
          assertThat(vector.lookup(handle)).isNotNull();
        }
      }
    }
  }

  /** Random bytes, or addresses that are almost right. */
  private MemorySegment addresses(AddressFormat format) {
    byte[] bytes = new byte[random.nextInt(120)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(3));
    }
    boolean infiniBand = format == AddressFormat.SOCKADDR_IB;
    int step = infiniBand ? 48 : random.nextBoolean() ? 16 : 28;
    for (int i = 0; i + 1 < bytes.length; i += step) {
      if (random.nextInt(5) > 0) {
        bytes[i] = (byte) (infiniBand ? 27 : step == 16 ? 2 : 10);
        bytes[i + 1] = 0;
      }
    }
    if (format == AddressFormat.STR && bytes.length > 40 && random.nextBoolean()) {
      byte[] text =
          ("fi_sockaddr_in://10.0.0." + random.nextInt(300) + ":" + random.nextInt(80_000))
              .getBytes(UTF_8);
      System.arraycopy(text, 0, bytes, 0, text.length);
    }
    return MemorySegment.ofArray(bytes);
  }

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }

  private MemorySegment handles(int count) {
    long[] handles = new long[count];
    for (int i = 0; i < count; i++) {
      handles[i] = handle();
    }
    return MemorySegment.ofArray(handles);
  }

  private long handle() {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong();
      case 1 -> 1L << random.nextInt(64);
      case 2 -> HandleLayout.PRIVATE_BASE + 16L * random.nextInt(50);
      default -> random.nextInt(-1, 50);
    };
  }

  private long flags() {
    return switch (random.nextInt(12)) {
      case 0 -> random.nextLong();
      case 1 -> InsertFlag.USER_ID.mask();
      case 2, 3 -> InsertFlag.SYNC_ERR.mask();
      case 4 -> InsertFlag.MORE.mask() | InsertFlag.FIREWALL_ADDRESS.mask();
      default -> 0;
    };
  }

  /** The answer, or null for one that is a FabricException. */
  private static @Nullable Object answer(Callable<?> call) throws Exception {
    try {
      return call.call();
    } catch (FabricException refused) {
      assertThat(refused.errno()).isNotIn(Errno.EOTHER, Errno.SUCCESS);
      assertThat(refused.getMessage()).hasSizeGreaterThan(15);
      return null;
    }
  }
}
