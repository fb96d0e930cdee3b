// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Reads and writes of any kind, in any order, against plain arrays; and those of many threads. */
class RemoteAccessModelTest {
  private static final int REGIONS = 4;
  private static final int MOST = 300_000;
  private static final int STEPS = 1_500;

  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress).withMoreCapabilities(Capability.RMA);
  }

  /** A read that is under way, and what it must bring. */
  private record Read(MemorySegment[] parts, byte[] expected) {}

  private final MemorySegment[] memory = new MemorySegment[REGIONS];
  private final byte[][] model = new byte[REGIONS][];
  private final MemoryRegion[] regions = new MemoryRegion[REGIONS];

  private static MemorySegment segment(Random random, int size) {
    return random.nextBoolean()
        ? MemorySegment.ofArray(new byte[size])
        : Rig.buffer(Math.max(size, 1)).asSlice(0, size);
  }

  private static MemorySegment[] pieces(Random random, int size) {
    int count = 1 + random.nextInt(TcpLimits.IOV_LIMIT);
    MemorySegment[] pieces = new MemorySegment[count];
    int left = size;
    for (int i = 0; i < count; i++) {
      int part = i == count - 1 ? left : random.nextInt(left + 1);
      pieces[i] = segment(random, part);
      left -= part;
    }
    return pieces;
  }

  private static int size(Random random, int most) {
    int bound =
        switch (random.nextInt(4)) {
          case 0 -> 64;
          case 1 -> 9_000;
          case 2 -> 70_000;
          default -> most;
        };
    return random.nextInt(Math.min(bound, most) + 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  @DisplayName("Each read brings what the writes before it have left, none touches anything else")
  void model(long seed) throws InterruptedException {
    Random random = new Random(seed);
    Progress progress = seed % 2 == 0 ? Progress.AUTO : Progress.MANUAL;
    try (Rig target = Rig.reliable(hints(progress));
        Rig rig = Rig.reliable(hints(Progress.MANUAL))) {
      long peer = rig.insert(target);
      for (int i = 0; i < REGIONS; i++) {
        memory[i] = segment(random, 1 + size(random, MOST));
        model[i] = new byte[(int) memory[i].byteSize()];
        regions[i] = target.domain.register(memory[i], Access.REMOTE_READ, Access.REMOTE_WRITE);
      }
      int underWay = 0;
      for (int step = 0; step < STEPS; step++) {
        int region = random.nextInt(REGIONS);
        int size = size(random, model[region].length);
        int at = random.nextInt(model[region].length - size + 1);
        if (random.nextBoolean()) {
          // What it reads is decided when it is posted: later writes wait until it has ended,
          // because a read may see them.
          underWay = end(rig, target, underWay, "seed " + seed + ", step " + step);
          Read read =
              new Read(pieces(random, size), Arrays.copyOfRange(model[region], at, at + size));
          rig.endpoint()
              .read(
                  new ReadRequest()
                      .parts(read.parts())
                      .source(peer)
                      .place(regions[region].place(), at)
                      .context(read));
          underWay = end(rig, target, underWay + 1, "seed " + seed + ", step " + step);
        } else {
          underWay += write(rig, peer, random, region, at, size);
        }
        if (underWay > 100) {
          underWay = end(rig, target, underWay, "seed " + seed + ", step " + step);
        }
      }
      rig.endpoint()
          .write(
              new WriteRequest()
                  .memory(MemorySegment.NULL)
                  .destination(peer)
                  .place(regions[0].place())
                  .context("last")
                  .completes(CompletionLevel.DELIVERED));
      end(rig, target, underWay + 1, "seed " + seed);
      for (int i = 0; i < REGIONS; i++) {
        assertThat(memory[i].mismatch(MemorySegment.ofArray(model[i])))
            .as("seed %d, region %d", seed, i)
            .isEqualTo(-1);
        regions[i].close();
      }
    }
  }

  private int write(Rig rig, long peer, Random random, int region, int at, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    System.arraycopy(bytes, 0, model[region], at, size);
    RemotePlace place = regions[region].place().from(at);
    if (size <= TcpLimits.INJECT_SIZE && random.nextBoolean()) {
      rig.endpoint().injectWrite(MemorySegment.ofArray(bytes), peer, place);
      return 0;
    }
    MemorySegment[] parts = pieces(random, size);
    int from = 0;
    for (MemorySegment part : parts) {
      MemorySegment.copy(bytes, from, part, ValueLayout.JAVA_BYTE, 0, (int) part.byteSize());
      from += (int) part.byteSize();
    }
    rig.endpoint()
        .write(
            new WriteRequest()
                .parts(parts)
                .destination(peer)
                .place(place)
                .context("write")
                .completes(
                    random.nextBoolean() ? CompletionLevel.DELIVERED : CompletionLevel.DEFAULT));
    return 1;
  }

  /** Waits for all that is under way, and looks at what was read. */
  private static int end(Rig rig, Rig target, int underWay, String where)
      throws InterruptedException {
    for (int i = 0; i < underWay; i++) {
      Completion completion = rig.next(target);
      assertThat(completion).as(where).isInstanceOf(Completion.Success.class);
      if (((Completion.Success) completion).context() instanceof Read read) {
        int from = 0;
        for (MemorySegment part : read.parts()) {
          int size = (int) part.byteSize();
          assertThat(part.toArray(ValueLayout.JAVA_BYTE))
              .as(where)
              .isEqualTo(Arrays.copyOfRange(read.expected(), from, from + size));
          from += size;
        }
      }
    }
    return 0;
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("Many threads use one endpoint to reach their parts of two peers' memory")
  void threads(Progress progress) throws Exception {
    int threads = 4;
    int part = 50_000;
    int rounds = 150;
    try (Rig left = Rig.reliable(hints(progress));
        Rig right = Rig.reliable(hints(Progress.AUTO));
        Rig rig = Rig.reliable(hints(Progress.AUTO));
        MemoryRegion leftRegion =
            left.domain.register(
                Rig.buffer(threads * part), Access.REMOTE_READ, Access.REMOTE_WRITE);
        MemoryRegion rightRegion =
            right.domain.register(
                MemorySegment.ofArray(new byte[threads * part]),
                Access.REMOTE_READ,
                Access.REMOTE_WRITE)) {
      long[] peers = {rig.insert(left), rig.insert(right)};
      RemotePlace[] places = {leftRegion.place(), rightRegion.place()};
      AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
      List<Thread> all = new ArrayList<>();
      // A thread's context is where it hears of its completions.
      List<java.util.concurrent.SynchronousQueue<Completion>> ends = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        java.util.concurrent.SynchronousQueue<Completion> end =
            new java.util.concurrent.SynchronousQueue<>();
        ends.add(end);
        all.add(
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    Random random = new Random(number);
                    byte[][] mine = new byte[2][part];
                    for (int round = 0; round < rounds; round++) {
                      int side = random.nextInt(2);
                      int size = size(random, part);
                      int at = random.nextInt(part - size + 1);
                      long there = (long) number * part + at;
                      MemorySegment buffer = segment(random, size);
                      byte[] bytes = new byte[size];
                      random.nextBytes(bytes);
                      buffer.copyFrom(MemorySegment.ofArray(bytes));
                      System.arraycopy(bytes, 0, mine[side], at, size);
                      rig.endpoint()
                          .write(
                              new WriteRequest()
                                  .memory(buffer)
                                  .destination(peers[side])
                                  .place(places[side], there)
                                  .context(end)
                                  .completes(CompletionLevel.DELIVERED));
                      assertThat(end.take()).isInstanceOf(Completion.Success.class);
                      MemorySegment read = segment(random, part);
                      rig.endpoint()
                          .read(read, peers[side], places[side].from((long) number * part), end);
                      assertThat(end.take()).isInstanceOf(Completion.Success.class);
                      assertThat(read.mismatch(MemorySegment.ofArray(mine[side]))).isEqualTo(-1);
                    }
                  } catch (Throwable broken) {
                    failed.compareAndSet(null, broken);
                  }
                }));
      }
      while (failed.get() == null && all.stream().anyMatch(Thread::isAlive)) {
        left.move(java.time.Duration.ZERO);
        Completion completion = rig.next(java.time.Duration.ofMillis(1));
        if (completion != null) {
          Object context =
              completion instanceof Completion.Success success
                  ? success.context()
                  : ((Completion.Failure) completion).context();
          ends.stream().filter(each -> each == context).findFirst().orElseThrow().put(completion);
        }
      }
      assertThat(failed.get()).isNull();
    }
  }

  @Test
  @Tag("long")
  @DisplayName("More than two gigabytes at once, there and back, or twice -Dofi4j.huge bytes")
  void moreThanTwoGigabytes() throws InterruptedException {
    int count = TcpLimits.IOV_LIMIT;
    long part = 2 * Long.getLong("ofi4j.huge", 1L << 30) / count + 12_345;
    long size = count * part;
    try (Rig target = Rig.reliable(hints(Progress.AUTO));
        Rig rig = Rig.reliable(hints(Progress.AUTO))) {
      MemorySegment there = Rig.buffer(size + 100);
      // The same memory again and again, so that there is enough of it.
      MemorySegment here = Rig.buffer(part);
      for (long i = 0; i < part - 8; i += 1_021) {
        here.set(ValueLayout.JAVA_LONG_UNALIGNED, i, i * 31);
      }
      MemorySegment[] parts = new MemorySegment[count];
      Arrays.fill(parts, here);
      long peer = rig.insert(target);
      try (MemoryRegion region =
          target.domain.register(there, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        rig.endpoint()
            .write(
                new WriteRequest()
                    .parts(parts)
                    .destination(peer)
                    .place(region.place().from(50))
                    .data(5)
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        assertThat(((Completion.Success) target.next()).length()).isEqualTo(size);
        for (int i = 0; i < count; i++) {
          long at = 50 + i * part;
          assertThat(MemorySegment.mismatch(there, at, at + part, here, 0, part)).isEqualTo(-1);
        }
        for (long i = 0; i < 50; i++) {
          assertThat(there.get(ValueLayout.JAVA_BYTE, i)).isZero();
          assertThat(there.get(ValueLayout.JAVA_BYTE, 50 + size + i)).isZero();
        }
        here.fill((byte) 0);
        rig.endpoint()
            .read(
                new ReadRequest()
                    .parts(parts)
                    .source(peer)
                    .place(region.place().from(50))
                    .context("read"));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        assertThat(MemorySegment.mismatch(there, 50, 50 + part, here, 0, part)).isEqualTo(-1);
      }
    }
  }
}
